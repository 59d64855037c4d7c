CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL, name TEXT, agent TEXT NOT NULL, agent_base TEXT NOT NULL, cwd TEXT NOT NULL,
  cols INTEGER NOT NULL, rows INTEGER NOT NULL, state TEXT NOT NULL, exit_code INTEGER, runtime_state TEXT NOT NULL,
  generation INTEGER NOT NULL, worker_id TEXT, runtime_id TEXT, child_pid INTEGER, started_at TEXT,
  last_connected_at TEXT, loss_reason TEXT, metadata TEXT NOT NULL, warnings TEXT NOT NULL, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE operations (
  session_id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, step TEXT NOT NULL, attempts INTEGER NOT NULL,
  started_at TEXT NOT NULL
) STRICT;
INSERT INTO sessions VALUES (
  's-OLD', 'from before', 'shell', 'shell', '/', 80, 24, 'done', 0, 'terminal', 1, 'k-OLD', 'w-OLD', 4242,
  '2024-05-01T10:00:00.000Z', '2024-05-01T10:00:00.000Z', NULL, '{"kept":"yes"}', '[]', '2024-05-01T10:00:00.000Z',
  '2024-05-01T10:00:05.000Z'
);
PRAGMA user_version = 1;
