"""Statement -> the SQL that reads the people; one question a file, with the reading of its rows."""
