"""`sf.connect`: the same verbs over HTTP. The only package that knows httpx."""
