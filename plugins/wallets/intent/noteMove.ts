/**
 * The part that writes moves down, for whoever moves intents in a part `moved (id)` of the same
 * statement. Members are SQL: places of values, or texts in quotes.
 */
export function noteMove(
	move: Record<"event" | "from" | "to" | "at", string> & { detail?: string },
): string {
	const { event, from, to, at, detail = "null" } = move;
	return `insert into wallets.intent_move
			(intent_id, seq, event, from_status, to_status, detail, at)
		select id, 1 + coalesce((
				select max(seq) from wallets.intent_move where intent_id = moved.id
			), 0), ${event}, ${from}, ${to}, ${detail}, ${at}
		from moved`;
}
