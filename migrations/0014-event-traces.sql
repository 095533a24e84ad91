-- Where in a trace an event happened, for the webhooks that tell of it. Written only while tracing is on, so that an event is no
-- wider for it. Unlogged: no commit waits for it, and a crash of the server costs a few traces and nothing else.
create unlogged table event_trace (
  event_id uuid not null,
  created timestamptz not null default now(),
  bucket int not null,
  traceparent text not null,
  constraint event_trace_pkey primary key (bucket, event_id)
);

create index event_trace_by_created on event_trace using brin (created);
