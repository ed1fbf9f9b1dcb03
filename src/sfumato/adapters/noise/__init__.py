"""The only room that draws noise or knows OpenDP."""
