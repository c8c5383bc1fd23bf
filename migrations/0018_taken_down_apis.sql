-- An API that the operator took off the market. It is a draft, and its publisher cannot publish it until the operator allows it.
alter table apis
  add column taken_down_at timestamptz(3),
  add column taken_down_reason text, -- shown to its publisher
  add constraint apis_taken_down_reason check ((taken_down_at is null) = (taken_down_reason is null)),
  add constraint apis_taken_down_draft check (taken_down_at is null or status = 'draft');
