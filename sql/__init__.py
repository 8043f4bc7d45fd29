"""The SQL of the product as package data: migrations, population queries and views."""
