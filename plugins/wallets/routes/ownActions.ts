// Lists what a profile asked for, of all kinds, and tells its stream what changed.

import { z } from "zod";
import { type BookWindow, readMark, windowSql } from "#core/audit/bookSql.ts";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import { field } from "#core/http/openapi/schema.ts";
import type { Log } from "#core/log.ts";
import type { Outbox } from "#core/outbox.ts";
import type { Period } from "#core/period.ts";
import { extensionPoint } from "#core/plugin/Plugin.ts";
import { readRows } from "#core/quarantine.ts";
import type { Job } from "#core/schedule.ts";
import { intentViewSchema, renderIntentView } from "#plugins/wallets/agent/intentTools.ts";
import type { IntentError } from "#plugins/wallets/intent/intentError.ts";
import { type IntentRow, intentRow, queryIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { Intent } from "#plugins/wallets/model.ts";

/** What a profile asked for that is more than one intent, such as a bridge. */
export type OwnedAction = {
	id: string;
	profileId: string;
	status: string;
	errorCode: string | null;
	error: IntentError | null;
	/** What it waits for its owner to do; null: nothing, or its plugin does not say. */
	waitsFor: string | null;
	chain: string;
	summary: string | null;
	transactionHash: Hex | null;
	/** The last of the intents that are its steps; those before it are linked to it. */
	intentId: string | null;
	createdAtMs: number;
	changedAtMs: number;
};

export type OwnedQuery = {
	profileId: string;
	status: string | null;
	period: Period;
	/** The place behind which the page begins, newest first. */
	after: { atMs: number; id: string } | null;
	limit: number;
};

/** A plugin's records that are listed and told in place of the intents that are their steps. */
export type OwnedActions = {
	/** The kind by which they are listed. */
	kind: string;
	statuses: readonly string[];
	/** Kinds of intents that are steps of one, and not listed by themselves. */
	stepKinds: readonly string[];
	/** Where their moves are noted, and the column with the transaction's number (`core.book_tx`). */
	moves: { table: string; column: string };
	/** Lists a profile's, newest first by time and id. */
	list(db: Queryable, asked: OwnedQuery): Promise<OwnedAction[]>;
	/** Returns those that moved in a window, and those whose last step is one of these intents. */
	touched(
		tx: Tx,
		told: { window: BookWindow; intentIds: readonly string[] },
	): Promise<OwnedAction[]>;
};

type Deps = { chains: ChainRegistry; owned: readonly OwnedActions[] };

/** One row of the list before its steps are read: an intent, or a record of another plugin's. */
type Listed = { atMs: number; id: string } & (
	| { kind: "intent"; row: IntentRow }
	| { kind: "owned"; of: string; action: OwnedAction }
);

/** Takes what plugins list for people beside intents. */
export const OwnedActionsPoint = extensionPoint<OwnedActions>("wallets.owned-actions");

/** The most steps of one action: an allowance that stands in the way, an allowance, the action. */
const STEPS_MAX = 10;

const TELL_EVERY_MS = 1_000;
const TELL_TIMEOUT_MS = 10_000;

const MOVES = { table: "wallets.intent_move", column: "tx" };

const view = intentViewSchema.shape;
const status = field.text(
	"Where it stands: a status of intents, or of what its kind calls so (bridges).",
	"confirmed",
);

const stepSchema = z
	.object({
		id: view.id,
		kind: view.kind,
		status,
		errorCode: view.errorCode,
		error: view.error,
		transactionHash: view.transactionHash,
		changedAt: view.changedAt,
	})
	.meta({ id: "OwnIntentStep", description: "One step of what you asked for." });

/** Describes anything that a profile asked for, as its list and its stream show it. */
export const ownIntentSchema = intentViewSchema
	.extend({
		status,
		steps: z.array(stepSchema).meta({
			description: "What is sent for it, in this order, with allowances; itself where it is one.",
		}),
	})
	.meta({ id: "OwnIntent", description: "Something that you asked for, with its steps." });

export type OwnIntent = z.output<typeof ownIntentSchema>;

/** Returns the topic of a profile's own stream. */
export function ownTopic(profileId: string): string {
	return `intents:${profileId}`;
}

/** Returns a page of what a profile asked for, of all kinds or of one, newest first. */
export async function listOwn(
	db: Queryable,
	deps: Deps,
	asked: OwnedQuery & { kind: string | null },
): Promise<{ items: OwnIntent[]; next: { atMs: number; id: string } | null }> {
	const query = { ...asked, limit: asked.limit + 1 };
	const others = deps.owned.filter(({ kind }) => asked.kind === null || asked.kind === kind);
	const isOther = asked.kind !== null && others.length > 0;
	const found = await Promise.all([
		isOther ? [] : listIntentRows(db, deps, query),
		...others.map(async ({ kind, list }) =>
			(await list(db, query)).map((action) => listedAction(kind, action)),
		),
	]);
	const all = found.flat().sort(newestFirst);
	const shown = all.slice(0, asked.limit);
	const last = shown.at(-1);
	const next = all.length > asked.limit && last ? { atMs: last.atMs, id: last.id } : null;
	return { items: (await render(db, deps, shown)).map(({ item }) => item), next };
}

/**
 * Makes the job that tells the streams of profiles what moved: each action whose own state or whose
 * steps moved, as it then stands. It reads the moves of committed transactions, from where it last
 * was, and that place is written with the frames: nothing is told twice or left out, and whatever
 * moves money knows nothing of it.
 */
export function tellOwnJob(
	deps: Deps & { db: Database; outbox: Pick<Outbox, "append">; log: Pick<Log, "error"> },
): Job {
	return {
		name: "wallets.tell-own",
		schedule: { everyMs: TELL_EVERY_MS },
		lock: "process",
		timeoutMs: TELL_TIMEOUT_MS,
		async run({ signal }) {
			while (!signal.aborted && (await hasNews(deps))) {
				if (await deps.db.transaction((tx) => tell(tx, deps))) return;
			}
		},
	};
}

/**
 * Returns whether anything moved since the last telling. It writes nothing: a transaction each
 * second would have every shared page of an idle service made anew.
 */
async function hasNews({ db, owned }: Parameters<typeof tellOwnJob>[0]): Promise<boolean> {
	const places = [MOVES, ...owned.map(({ moves }) => moves)].map(({ table, column }) => {
		const moved = `select from ${table} where ${column} >= told.to_tx`;
		return `exists (${moved}) or exists (select from ${table} where ${column} = any(told.to_open))`;
	});
	const [row] = await db.query<{ news: boolean }>(
		`select ${places.join(" or ")} as news from wallets.told`,
	);
	return row?.news ?? false;
}

/** Tells one window of moves; returns whether nothing is left to tell. */
async function tell(tx: Tx, deps: Parameters<typeof tellOwnJob>[0]): Promise<boolean> {
	// Another process that tells now does this one's work too.
	const [state] = await tx.query<{ tx: number; open: string[] }>(
		`select to_tx as tx, to_open::text[] as open from wallets.told for update skip locked`,
	);
	if (!state) return true;
	const from = { tx: state.tx, open: state.open.map(Number) };
	const sources = [MOVES, ...deps.owned.map(({ moves }) => moves)].map((stamp) => ({ stamp }));
	const read = await readMark(tx, { book: { sources }, from });
	if (!read) return true;
	const window = { from, to: read.mark };
	const intentIds = await movedActions(tx, window);
	// A row whose time is no time is in quarantine, and keeps nobody else's from being told.
	const rows = (await queryIntents(tx, intentIds)).filter((row) => {
		return !isStep(deps, row.kind) && row.created_at instanceof Date;
	});
	const listed = rows.map(listedIntent);
	for (const { kind, touched } of deps.owned) {
		try {
			const actions = await touched(tx, { window, intentIds });
			listed.push(...actions.map((action) => listedAction(kind, action)));
		} catch (error) {
			// A row that cannot be read keeps nobody else's from being told. Where the database failed
			// the next statement fails too, and all of it is told again.
			deps.log.error("what moved cannot be told to its owner", { kind, error });
		}
	}
	for (const { item, profileId } of await render(tx, deps, listed)) {
		deps.outbox.append(tx, ownTopic(profileId), [{ type: "intent", data: item }]);
	}
	const { tx: toTx, open } = read.mark;
	await tx.execute("update wallets.told set to_tx = $1, to_open = $2", [toTx, open]);
	return read.isWhole;
}

/** Returns the intents that moved in a window; in place of a step, the intent that it is for. */
async function movedActions(tx: Tx, window: BookWindow): Promise<string[]> {
	const rows = await tx.query<{ id: string }>(
		`with recursive moved as (
			select distinct intent_id as id from wallets.intent_move where ${windowSql.has("tx")}
			union
			select later.id from moved join wallets.intent as later on later.after_id = moved.id
		)
		select id from moved
		where not exists (select from wallets.intent as later where later.after_id = moved.id)
		order by id`,
		windowSql.values(window),
	);
	return rows.map(({ id }) => id);
}

/** Lists intents that are nobody's step (`intent_after`), along `intent_profile`. */
async function listIntentRows(
	db: Queryable,
	{ owned }: Deps,
	asked: OwnedQuery & { kind: string | null },
): Promise<Listed[]> {
	const rows = await db.query<IntentRow>(
		`select ${intentRow.columns} from wallets.intent i
		where profile_id = $1 and kind <> all($2::text[]) and ($3::text is null or kind = $3)
			and ($4::text is null or status = $4) and isfinite(created_at)
			and created_at >= $5 and created_at <= $6
			and ($7::timestamptz is null or (created_at, id) < ($7, $8::uuid))
			and not exists (select from wallets.intent as later where later.after_id = i.id)
		order by created_at desc, id desc limit $9`,
		[
			...[asked.profileId, owned.flatMap(({ stepKinds }) => stepKinds), asked.kind, asked.status],
			...[new Date(asked.period.fromMs), new Date(asked.period.untilMs)],
			...[asked.after && new Date(asked.after.atMs), asked.after?.id ?? null, asked.limit],
		],
	);
	return rows.map(listedIntent);
}

function isStep({ owned }: Deps, kind: string): boolean {
	return owned.some(({ stepKinds }) => stepKinds.includes(kind));
}

function listedIntent(row: IntentRow): Listed {
	return { kind: "intent", atMs: row.created_at.getTime(), id: row.id, row };
}

function listedAction(of: string, action: OwnedAction): Listed {
	return { kind: "owned", of, atMs: action.createdAtMs, id: action.id, action };
}

function newestFirst(a: Listed, b: Listed): number {
	return b.atMs - a.atMs || (a.id < b.id ? 1 : -1);
}

/** Renders rows with their steps. A row that cannot be read is left out, and no other one. */
async function render(
	db: Queryable,
	{ chains }: Deps,
	listed: readonly Listed[],
): Promise<{ profileId: string; item: OwnIntent }[]> {
	const rows = listed.flatMap((one) => (one.kind === "intent" ? [one.row] : []));
	const lasts = listed.flatMap((one) =>
		one.kind === "owned" && one.action.intentId !== null ? [one.action.intentId] : [],
	);
	const [{ items }, chainsOf] = await Promise.all([
		readRows(db, intentRow, rows),
		readSteps(db, [...rows.map(({ id }) => id), ...lasts]),
	]);
	const read = new Map(items.map((intent) => [intent.id, intent]));
	return listed.flatMap((one) => {
		if (one.kind === "owned") {
			const { intentId } = one.action;
			const steps = intentId === null ? [] : (chainsOf.get(intentId) ?? []);
			return [{ profileId: one.action.profileId, item: renderAction(one, steps) }];
		}
		const intent = read.get(one.id);
		if (!intent) return [];
		const steps = (chainsOf.get(one.id) ?? [intent]).map(renderStep);
		return [{ profileId: intent.profileId, item: { ...renderIntentView(intent, chains), steps } }];
	});
}

function renderAction(
	{ of, action }: { of: string; action: OwnedAction },
	steps: readonly Intent[],
): OwnIntent {
	const { id, errorCode, error, waitsFor, chain, summary, transactionHash } = action;
	return {
		...{ id, kind: of, status: action.status, errorCode, error, waitsFor, chain, summary },
		transactionHash,
		createdAt: new Date(action.createdAtMs).toISOString(),
		changedAt: new Date(action.changedAtMs).toISOString(),
		steps: steps.map(renderStep),
	};
}

function renderStep(intent: Intent): OwnIntent["steps"][number] {
	const { id, kind, errorCode, error, transactionHash } = intent;
	const changedAt = new Date(intent.changedAtMs).toISOString();
	return { id, kind, status: intent.status, errorCode, error, transactionHash, changedAt };
}

/** Reads the intents before each of these and itself, the first step first. */
async function readSteps(
	db: Queryable,
	ids: readonly string[],
): Promise<ReadonlyMap<string, Intent[]>> {
	if (ids.length === 0) return new Map();
	const links = await db.query<{ root: string; id: string }>(
		`with recursive step as (
			select id as root, id, after_id, 0 as depth from wallets.intent where id = any($1::uuid[])
			union all
			select step.root, i.id, i.after_id, depth + 1
			from step join wallets.intent as i on i.id = step.after_id where depth < $2
		)
		select root, id from step order by root, depth desc`,
		[ids, STEPS_MAX],
	);
	const rows = await queryIntents(db, [...new Set(links.map(({ id }) => id))]);
	const { items } = await readRows(db, intentRow, rows);
	const byId = new Map(items.map((intent) => [intent.id, intent]));
	const steps = new Map<string, Intent[]>();
	for (const { root, id } of links) {
		const intent = byId.get(id);
		if (intent) steps.set(root, [...(steps.get(root) ?? []), intent]);
	}
	return steps;
}
