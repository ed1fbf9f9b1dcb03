"""A folder whose fixtures end with it: a browser that goes on running stands in the way of other tests' asyncio."""
