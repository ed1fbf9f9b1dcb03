"""Spark: Parquet files and tables by name, on a cluster or in this machine's processes. pyspark is known here alone."""
