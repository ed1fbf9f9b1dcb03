"""The one place that names concrete engines, stores and keys: local datasets, and the folder of a server."""
