import type { Tx } from "#core/db/Database.ts";
import type { Intent, Plan } from "#plugins/wallets/contract.ts";
import { hashPlan } from "#plugins/wallets/plan/hashPlan.ts";
import { planCodec } from "#plugins/wallets/plan/planCodec.ts";

/** The plans that were said yes to, and whether its owner said yes to a step before it. */
export type SaidYes = { owner: Plan | null; operator: Plan | null; isStepConfirmed: boolean };

const NOBODY: SaidYes = { owner: null, operator: null, isStepConfirmed: false };

/** Steps of one chain that are walked back. */
const STEPS_MAX = 16;

/**
 * Reads who said yes to what, in the order of the intents. Costs nothing where nobody was
 * asked yet: an intent that was has a plan, and one behind a step names it.
 */
export async function readYes(tx: Tx, intents: readonly Intent[]): Promise<SaidYes[]> {
	const asked = intents.filter(({ plan, afterId }) => plan !== null || afterId !== null);
	if (asked.length === 0) return intents.map(() => NOBODY);
	const rows = await tx.query<Row>(
		`select i.id, i.confirmed_plan as owner, i.reviewed_plan as operator, exists (
			with recursive steps (id, depth) as (
				select i.after_id, 1
				union all
				select s.after_id, depth + 1 from steps join wallets.intent s on s.id = steps.id
				where depth < ${STEPS_MAX}
			)
			select from steps join wallets.intent s on s.id = steps.id
			where s.confirmed_plan is not null
		) as "isStepConfirmed"
		from wallets.intent i where i.id = any($1::uuid[])`,
		[asked.map(({ id }) => id)],
	);
	const byId = new Map(rows.map((row) => [row.id, read(row)]));
	return intents.map(({ id }) => byId.get(id) ?? NOBODY);
}

/** True where a plan made anew is still what somebody said yes to. */
export function isWithin(
	approved: Plan | null,
	fresh: Plan,
	keeps: ((approved: Plan, fresh: Plan) => boolean) | undefined,
): boolean {
	if (approved === null) return false;
	return hashPlan(approved) === hashPlan(fresh) || keeps?.(approved, fresh) === true;
}

type Row = { id: string; owner: unknown; operator: unknown; isStepConfirmed: boolean };

function read({ owner, operator, isStepConfirmed }: Row): SaidYes {
	const planOf = (stored: unknown) => (stored === null ? null : planCodec.read(stored));
	return { owner: planOf(owner), operator: planOf(operator), isStepConfirmed };
}
