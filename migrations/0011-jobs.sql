-- Housekeeping jobs: due time, lease and last result of each. One process runs a job at a time.

create table job (
  name text not null,
  due timestamptz not null,
  -- the end of the lease of the process that runs the job; another process may run it after that
  held_until timestamptz,
  started timestamptz,
  finished timestamptz,
  succeeded timestamptz,
  result jsonb,
  error text,
  constraint job_pkey primary key (name)
);

-- Figures of the whole service at a time, which a job samples and the console plots.
create table figure_sample (
  at timestamptz not null,
  figures jsonb not null,
  constraint figure_sample_pkey primary key (at)
);
