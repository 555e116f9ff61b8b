import type { Queryable, Tx } from "#core/db/Database.ts";
import {
	type Authorization,
	authorizationJson,
	authorizationSchema,
} from "#plugins/bridge/quote/authorizations.ts";

export type HandOverState = "ready" | "handed" | "taken" | "refused" | "doubtful";

/** A signature that goes to the provider, once. */
export type HandOver = {
	bridgeId: string;
	step: number;
	intentId: string;
	/** Null: it is the quote's. */
	asked: Authorization | null;
	state: HandOverState;
	handedAt: Date | null;
};

/** A bridge's signatures, in their order. By primary key. */
export async function readHandOvers(db: Queryable, bridgeId: string): Promise<HandOver[]> {
	const rows = await db.query<Omit<HandOver, "asked"> & { asked: unknown }>(
		`select bridge_id as "bridgeId", step, intent_id as "intentId", asked, state,
			handed_at as "handedAt"
		from bridge.hand_over where bridge_id = $1 order by step`,
		[bridgeId],
	);
	return rows.map((row) => {
		const asked = row.asked === null ? null : authorizationSchema.parse(row.asked);
		return { ...row, asked };
	});
}

/** Records a signature that is to be handed over. The caller holds the bridge. */
export async function insertHandOver(
	tx: Tx,
	given: Pick<HandOver, "bridgeId" | "step" | "intentId" | "asked"> & { at: Date },
): Promise<void> {
	const { bridgeId, step, intentId, asked, at } = given;
	const stored = asked === null ? null : JSON.stringify(authorizationJson(asked));
	await tx.execute(
		`insert into bridge.hand_over (bridge_id, step, intent_id, asked, state, created_at)
		values ($1, $2, $3, $4::jsonb, 'ready', $5)`,
		[bridgeId, step, intentId, stored, at],
	);
}

/**
 * Notes what became of a signature. False where it stands elsewhere than the caller thinks: then
 * nothing is written, and whoever wants to hand it over must not.
 */
export async function moveHandOver(
	tx: Tx,
	given: {
		bridgeId: string;
		step: number;
		from: HandOverState;
		to: HandOverState;
		detail?: string;
		at: Date;
	},
): Promise<boolean> {
	const { bridgeId, step, from, to, detail = null, at } = given;
	const moved = await tx.execute(
		`update bridge.hand_over set state = $4, detail = $5,
			handed_at = case when $4 = 'handed' then $6 else handed_at end
		where bridge_id = $1 and step = $2 and state = $3`,
		[bridgeId, step, from, to, detail, at],
	);
	return moved > 0;
}
