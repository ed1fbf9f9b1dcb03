"""`sf.connect`: the same verbs over HTTP. The only room that knows httpx."""
