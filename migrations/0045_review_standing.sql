-- Lists of sessions by their review.
alter table kyc_reviews
  add column standing text not null generated always as (coalesce(decision, status)) stored,
  alter column session_created_at set not null;

create index kyc_reviews_standing on kyc_reviews (company_id, standing, session_created_at desc, session_id desc);
