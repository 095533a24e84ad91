-- Housekeeping: when each job is due next, who is at it, and what came of it last. One process runs a job at a time.

create table job (
  name text not null,
  due timestamptz not null,
  -- whoever runs it has it until then; one that dies leaves it to others
  held_until timestamptz,
  started timestamptz,
  finished timestamptz,
  succeeded timestamptz,
  result jsonb,
  error text,
  constraint job_pkey primary key (name)
);
