-- Bodies of answers are sealed from now on. Those that are not are not shown any more.
update webhook_attempts set answer = null where answer <> '';
