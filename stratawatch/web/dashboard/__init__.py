"""The dashboard: pages for people and numbers for programs, read from the store; people may acknowledge and silence."""
