-- What a publisher's slug looks like (src/marketplace/catalog/slugs-model.ts), so that no other looks the same. Publishers that
-- already look like an older one stay, without a look.
alter table publishers add column look text;

update publishers p set look = made.look
from (
  select id, looks.look, row_number() over (partition by looks.look order by created_at, id) as place
  from publishers, lateral (
    select translate(replace(slug, '-', ''), '012345789', 'olzeastbg') as look
  ) looks
) made
where made.id = p.id and made.place = 1;

alter table publishers add constraint publishers_look_key unique (look);
