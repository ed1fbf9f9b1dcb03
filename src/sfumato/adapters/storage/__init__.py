"""Tables in a database: the only room that knows SQLAlchemy."""
