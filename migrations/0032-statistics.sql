-- A tenth of the usual sample for the tables that grow fastest: each analysis of transfer took half a second of CPU, which delayed requests.
-- No plan depends on it (`npm run long -- plans`).
do $$
declare
  col record;
begin
  for col in
    select attrelid::regclass as relation, attname as name
    from pg_attribute
    where attrelid = any (array['transfer', 'event', 'webhook', 'webhook_attempt']::regclass[]) and attnum > 0 and not attisdropped
      and attstattarget is distinct from 0
  loop
    execute format('alter table %s alter %I set statistics 10', col.relation, col.name);
  end loop;
end
$$;
