"""What Alembic runs to migrate: the revisions, on the connection and in the transaction that `opening` began."""

from alembic import context

from threadping.store.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,  # SQLite cannot alter a table; Alembic then copies it
)
context.run_migrations()
