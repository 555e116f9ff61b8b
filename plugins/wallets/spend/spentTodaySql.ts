/**
 * Answers microdollars, as text, that a profile reserved since a time and did not get back. What
 * was released counts for nothing from the moment it was, and what was reserved before that time
 * never. Its values are the places of the profile and of the time.
 *
 * Reads the one range of `spend_counted`, and beside it only the intents that something was given
 * back for: it grows with a profile's day, and is asked at each decision.
 */
export function spentTodaySql({ profile, since }: { profile: string; since: string }): string {
	return `select coalesce(sum(
			case when kind = 'release' then -usd_micros else usd_micros end
		), 0)::text as spent
		from wallets.spend_entry as counted
		where profile_id = ${profile} and at >= ${since}
			and kind in ('reserve', 'release', 'unrelease')
			and (kind = 'reserve' or exists (
				select from wallets.spend_entry as own
				where own.intent_id = counted.intent_id and own.kind = 'reserve' and own.at >= ${since}
			))`;
}
