"""What was published, figures and claims, as data (`published.toml`); and what an answer says of them."""
