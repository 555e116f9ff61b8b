import type { Database } from "#core/db/Database.ts";
import type { KillRun } from "#test/e2e/kills/KillScenario.ts";

export type IntentFound = {
	id: string;
	status: string;
	errorCode: string | null;
	/** The recipient, or the token's id. */
	wanted: string;
	/** `queued`, `sending`, … of its payments. */
	states: string[];
};

/** Returns every intent that a run made, by what it wants. */
export async function intentsOf(db: Database, run: KillRun): Promise<IntentFound[]> {
	return db.query<IntentFound>(
		`select i.id, i.status, i.error_code as "errorCode",
			coalesce(i.request->>'recipient', i.request->>'tokenId') as wanted,
			array(select s.state::text from wallets.submission s where s.intent_id = i.id
				and s.purpose = 'pay') as states
		from wallets.intent i
		where coalesce(i.request->>'recipient', i.request->>'tokenId') = any($1)
		order by i.id`,
		[run.wanted.map((one) => (one.kind === "pay" ? one.recipient : String(one.tokenId)))],
	);
}
