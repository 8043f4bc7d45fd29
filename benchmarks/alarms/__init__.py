"""How often alarms are false and how soon losses are paged, on frozen designs of stationary worlds."""
