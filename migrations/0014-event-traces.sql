-- Trace contexts of events, for the spans of their deliveries. A separate table, because it is written only while tracing is on.
-- Unlogged: it adds nothing to the WAL, and a crash of the server loses only traces.
create unlogged table event_trace (
  event_id uuid not null,
  created timestamptz not null default now(),
  bucket int not null,
  traceparent text not null,
  constraint event_trace_pkey primary key (bucket, event_id)
);

create index event_trace_by_created on event_trace using brin (created);
