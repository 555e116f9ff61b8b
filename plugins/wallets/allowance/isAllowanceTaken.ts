import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { MINUTE_MS } from "#core/time/units.ts";
import { ALLOWANCE, allowanceRequest } from "#plugins/wallets/allowance/allowanceKind.ts";
import type { Intent, Plan } from "#plugins/wallets/contract.ts";

/** An intent ends within so long of its making, or is found among what is open. */
const RECENT_MS = 10 * MINUTE_MS;

/** The token whose allowance an intent changes, or uses by a call of another contract than it. */
const tokenSql = `case when r.kind = '${ALLOWANCE}' then r.request->>'token'
	when r.plan->>'to' <> r.plan->'spend'->>'currency' then r.plan->'spend'->>'currency' end`;

/**
 * Rivals are what is under way of the wallet's, and what ended since the plan was begun: its
 * allowance was read while they ran. An intent that has an allowance of its own keeps it until it
 * is at its end, and is nobody's rival's victim.
 */
const takenSql = `with rivals as (
		select * from wallets.intent where wallet_id = $2 and chain_id = $3 and id <> $1
			and status in ('created', 'submitting', 'submitted', 'uncertain', 'confirmation_required',
				'review_required', 'signature_required', 'waiting')
		union all
		select * from wallets.intent where profile_id = $4 and created_at >= $7
			and wallet_id = $2 and chain_id = $3 and id <> $1 and changed_at > $6
			and status in ('confirmed', 'failed')
	), own as (
		select i.kind, a.kind as step, a.request->>'token' as token
		from wallets.intent i left join wallets.intent a on a.id = i.after_id where i.id = $1
	)
	select exists (
		select from rivals r left join wallets.intent a on a.id = r.after_id
		where (r.status in ('submitting', 'submitted', 'uncertain', 'confirmed', 'failed')
				and ${tokenSql} = $5)
			or (r.status not in ('confirmed', 'failed') and a.kind = '${ALLOWANCE}'
				and a.status = 'confirmed' and a.request->>'token' = $5)
	) and not exists (
		select from own where kind <> '${ALLOWANCE}' and step = '${ALLOWANCE}' and token = $5
	) as taken`;

/**
 * Says whether another intent of the wallet needs an allowance of the token that this one changes
 * or uses; true: it has to wait for its turn. An exact allowance is one transaction's, and two that
 * count on the same one would see it suffice until the first of them uses it up.
 *
 * The caller holds the profile's row. False at once, without a question, for what needs none: the
 * chain's coin, and calls of the token itself.
 */
export async function isAllowanceTaken(
	tx: Tx,
	given: { intent: Intent; plan: Plan | null; beganAt: Date },
): Promise<boolean> {
	const { intent, plan, beganAt } = given;
	const token = tokenOf(intent, plan);
	if (token === null) return false;
	const { id, walletId, chainId, profileId } = intent;
	const recent = new Date(beganAt.getTime() - RECENT_MS);
	const [row] = await tx.query<{ taken: boolean }>(takenSql, [
		...[id, walletId, chainId, profileId, token, beganAt, recent],
	]);
	return row?.taken === true;
}

function tokenOf(intent: Intent, plan: Plan | null): Address | null {
	if (intent.kind === ALLOWANCE) return allowanceRequest.parse(intent.request).token;
	if (plan === null) return null;
	const { currency } = plan.spend;
	return currency === ZERO_ADDRESS || currency === plan.to ? null : currency;
}
