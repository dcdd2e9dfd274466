-- Repositories on this machine whose builds were started without a server.
CREATE TABLE local_repositories (
    project_id UUID NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    path       TEXT NOT NULL UNIQUE
);
