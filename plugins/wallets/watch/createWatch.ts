// Watches money that waits, for `/readyz`, `/metrics` and operators.

import type { Queryable } from "#core/db/Database.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Gauge, Metrics } from "#core/metrics.ts";
import { type Quarantined, readQuarantined } from "#core/quarantine.ts";
import type { Job } from "#core/schedule.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { IntentStatus } from "#plugins/wallets/intent/Intent.ts";
import { readRestored } from "#plugins/wallets/submission/strays.ts";
import {
	COUNTED_MAX,
	WATCH_EVERY_MS,
	WATCH_FRESH_MS,
	WATCH_TIMEOUT_MS,
	WATCHED_MAX,
	waitWords,
} from "#plugins/wallets/watch/judgeWait.ts";
import { createLedgerCheck, type FlawedIntent } from "#plugins/wallets/watch/ledgerCheck.ts";
import {
	type BlockedQueue,
	blockedQueues,
	type JudgedIntent,
	judgeAll,
	readWaiting,
} from "#plugins/wallets/watch/readWaiting.ts";

/** Holds one figure with the age of the oldest entry that it counts, by labels from small sets. */
export type AgedFigure<Label extends string> = {
	/** Series that are not named any more become 0. */
	set(entries: readonly AgedEntry<Label>[]): void;
};

export type AgedEntry<Label extends string> = {
	labels: Readonly<Record<Label, string>>;
	count: number;
	oldestAgeSeconds: number;
};

/** Holds counts and ages of waiting payments at one moment. */
export type Watched = {
	atMs: number;
	open: readonly OpenCount[];
	waiting: readonly JudgedIntent[];
	queues: readonly BlockedQueue[];
	quarantined: readonly Quarantined[];
	flawed: readonly FlawedIntent[];
	/** The time at which a process began on a database that was stopped for long, or was restored. */
	restored: Date | null;
	/** Since when wallets wait until it can be read what they sent, in milliseconds. */
	openPasts: readonly number[];
	/**
	 * Times at which endpoints counted transactions that their blocks do not show, in milliseconds.
	 */
	falseCounts: readonly number[];
};

export type WatchOptions = {
	deps: Pick<ExecutionDeps, "db" | "clock" | "nonceClaims" | "settings">;
	metrics: Metrics;
	/** Returns the name of a chain in metrics. */
	chainName(chainId: number): string;
};

/** Watches money that waits: for `/readyz` when it is asked for, for `/metrics` by its job. */
export type Watch = { degraded(): Promise<Degradation[]>; job: Job };

type Found = { code: string; action: string; sinceMs: number | null; count?: number };

type OpenCount = { kind: string; state: IntentStatus; count: number; oldest: Date | null };

const LEDGER_ACTION =
	"Stop trading (kill:all) and run `svc audit verify`: it names rows that were changed. Then hold " +
	"the intents' entries against the chain.";

const RESTORED_ACTION =
	"Nothing, where the database was only away. After a restore: tell owners that intents may ask " +
	"whether they were paid already (looks_paid), and look for what X and bridges did meanwhile.";

const PAST_ACTION =
	"Wallets wait until it can be read what they sent while this database has no records. Look at the " +
	"chain's RPC endpoints: none answers, or a single one counts what its blocks do not show. Another " +
	"endpoint in CHAIN_RPC_URLS_JSON ends it.";

const FALSE_COUNTS_ACTION =
	"Nothing waits: another endpoint said otherwise. Take the one with false_count out of " +
	"CHAIN_RPC_URLS_JSON (tapeline_rpc_inconsistencies_total names it), or ask who runs it.";

/**
 * Makes the watch. All reads are bounded and along indexes, and an answer is reused for
 * `WATCH_FRESH_MS`: `/readyz` is public.
 */
export function createWatch(options: WatchOptions): Watch {
	const { deps, metrics, chainName } = options;
	const figures = watchMetrics(metrics);
	const ledger = createLedgerCheck(deps.db);
	let newest: Watched | null = null;
	let reading: Promise<Watched> | null = null;

	async function read(): Promise<Watched> {
		const { db, clock, settings } = deps;
		const atMs = clock.nowMs();
		const { slowAfter } = settings;
		const rows = await readWaiting(db, { slowAfter, nowMs: atMs, limit: WATCHED_MAX });
		const waiting = await judgeAll(deps, rows, atMs);
		const marks = await readQuarantined(db);
		newest = {
			atMs,
			open: await countOpen(db),
			waiting,
			queues: blockedQueues(waiting),
			quarantined: marks.filter(({ table }) => table.startsWith("wallets.")),
			flawed: await ledger.turn(),
			restored: await readRestored(db),
			openPasts: deps.nonceClaims.openPasts(),
			falseCounts: deps.nonceClaims.falseCounts(),
		};
		return newest;
	}

	/** Reads the figures; callers who come while they are being read get the same ones. */
	async function watched(): Promise<Watched> {
		const ageMs = newest ? Math.abs(deps.clock.nowMs() - newest.atMs) : Number.POSITIVE_INFINITY;
		if (newest && ageMs < WATCH_FRESH_MS) return newest;
		reading ??= read().finally(() => {
			reading = null;
		});
		return reading;
	}

	return {
		degraded: async () => degradationsOf(await watched()),
		job: {
			name: "wallets.watch",
			schedule: { everyMs: WATCH_EVERY_MS },
			// Each process shows the figures.
			lock: "process",
			timeoutMs: WATCH_TIMEOUT_MS,
			run: async () => showFigures(figures, await watched(), chainName),
		},
	};
}

/** Registers the metrics of waiting payments. Alert rules for them: the README of wallets. */
export function watchMetrics(metrics: Metrics) {
	const aged = <Label extends string>(given: {
		name: string;
		age: string;
		labels: readonly Label[];
		help: string;
	}): AgedFigure<Label> => {
		const { name, age, labels, help } = given;
		const count = metrics.gauge<Label>({ name, help, labels });
		const ages = metrics.gauge<Label>({
			name: age,
			help: `Age of the oldest of these: ${help}`,
			labels,
		});
		return agedFigure(count, ages);
	};
	return {
		open: aged({
			name: "wallets_intents_open",
			age: "wallets_intents_oldest_age_seconds",
			labels: ["kind", "state"],
			help: "Intents that are not settled, by kind and state.",
		}),
		waiting: aged({
			name: "wallets_intents_waiting",
			age: "wallets_intents_waiting_oldest_age_seconds",
			labels: ["reason"],
			help: "Intents in doubt, or sent for longer than their chain needs, by reason.",
		}),
		queues: aged({
			name: "wallets_nonce_queues_blocked",
			age: "wallets_nonce_queues_blocked_oldest_age_seconds",
			labels: ["chain", "reason"],
			help: "Nonce queues in which something cannot go on, by chain and reason.",
		}),
		quarantined: metrics.gauge<"table">({
			name: "wallets_quarantined_oldest_age_seconds",
			help: "Since when the oldest row cannot be read that is in quarantine, by table.",
			labels: ["table"],
		}),
		ledger: aged({
			name: "wallets_ledger_flaws",
			age: "wallets_ledger_flaws_oldest_age_seconds",
			labels: ["flaw"],
			help: "Intents whose entries in the spend ledger do not fit where they stand, by flaw.",
		}),
		madeAt: metrics.gauge({
			name: "wallets_watch_timestamp_seconds",
			help: "When the figures of what waits were last made.",
		}),
	};
}

/**
 * Counts the intents of each kind in each open state, and says since when the oldest is in it.
 * Walks `intent_open` from its oldest entry, `COUNTED_MAX` at most: settled intents are not in it.
 */
export async function countOpen(db: Queryable): Promise<OpenCount[]> {
	return db.query<OpenCount>(
		`select kind, status as state, count(*)::int as count,
			min(changed_at) filter (where isfinite(changed_at)) as oldest
		from (
			select kind, status, changed_at from wallets.intent
			where status in ('created', 'submitting', 'submitted', 'uncertain',
				'confirmation_required', 'review_required', 'signature_required', 'waiting')
			order by changed_at limit ${COUNTED_MAX}
		) as open
		group by kind, status`,
	);
}

/**
 * Lists what is wrong with payments, by code: counts and ages, without wallets, since the answer is
 * public.
 */
function degradationsOf(watched: Watched): Degradation[] {
	const { atMs, waiting, queues, quarantined, flawed, restored } = watched;
	const found: Found[] = [
		...(restored === null
			? []
			: [{ code: "restored", action: RESTORED_ACTION, sinceMs: restored.getTime() }]),
		...watched.openPasts.map((sinceMs) => {
			return { code: "wallet_past_unread", action: PAST_ACTION, sinceMs };
		}),
		...watched.falseCounts.map((sinceMs) => {
			return { code: "wallet_counts_false", action: FALSE_COUNTS_ACTION, sinceMs };
		}),
		...waiting.map(({ reason, sinceMs }) => {
			return { code: `intents_${reason}`, action: waitWords[reason].remedy, sinceMs };
		}),
		...queues.map(({ reason, sinceMs }) => {
			return { code: `nonce_queues_${reason}`, action: waitWords[reason].remedy, sinceMs };
		}),
		...quarantined.map(({ since, count }) => {
			const action = waitWords.unreadable.remedy;
			return { code: "rows_quarantined", action, sinceMs: since.getTime(), count };
		}),
		...flawed.map(({ flaw, since }) => {
			return { code: `ledger_${flaw}`, action: LEDGER_ACTION, sinceMs: since.getTime() };
		}),
	];
	return [...Map.groupBy(found, ({ code }) => code)].map(([code, group]) => ({
		code,
		count: group.reduce((sum, { count = 1 }) => sum + count, 0),
		oldestAgeSeconds: oldestAgeSeconds(
			group.map(({ sinceMs }) => sinceMs),
			atMs,
		),
		action: group[0]?.action ?? "",
	}));
}

/** Whole seconds since the earliest of these moments; 0 where none of them can be read. */
function oldestAgeSeconds(sinceMs: readonly (number | null)[], nowMs: number): number {
	const known = sinceMs.filter((ms) => ms !== null && Number.isFinite(ms)).map(Number);
	return known.length === 0 ? 0 : Math.max(0, Math.floor((nowMs - Math.min(...known)) / 1_000));
}

/** Shows in `/metrics` what was watched. */
function showFigures(
	figures: ReturnType<typeof watchMetrics>,
	watched: Watched,
	chainName: (chainId: number) => string,
): void {
	const { atMs, open, waiting, queues, quarantined, flawed } = watched;
	figures.open.set(
		open.map(({ kind, state, count, oldest }) => {
			const age = oldestAgeSeconds([oldest?.getTime() ?? null], atMs);
			return { labels: { kind, state }, count, oldestAgeSeconds: age };
		}),
	);
	figures.waiting.set(grouped(waiting, atMs, ({ reason }) => ({ reason })));
	figures.queues.set(
		grouped(queues, atMs, ({ chainId, reason }) => ({ chain: chainName(chainId), reason })),
	);
	for (const table of ["wallets.intent", "wallets.submission"]) {
		const since = quarantined.find((one) => one.table === table)?.since.getTime() ?? null;
		figures.quarantined.set({ table }, oldestAgeSeconds([since], atMs));
	}
	const flaws = flawed.map(({ flaw, since }) => ({ flaw, sinceMs: since.getTime() }));
	figures.ledger.set(grouped(flaws, atMs, ({ flaw }) => ({ flaw })));
	figures.madeAt.set({}, atMs / 1_000);
}

function grouped<Item extends { sinceMs: number | null }, Label extends string>(
	items: readonly Item[],
	atMs: number,
	labelsOf: (item: Item) => Record<Label, string>,
): AgedEntry<Label>[] {
	const groups = Map.groupBy(items, (item) => JSON.stringify(labelsOf(item)));
	return [...groups.values()].flatMap((group) => {
		const [first] = group;
		if (!first) return [];
		const age = oldestAgeSeconds(
			group.map(({ sinceMs }) => sinceMs),
			atMs,
		);
		return [{ labels: labelsOf(first), count: group.length, oldestAgeSeconds: age }];
	});
}

function agedFigure<Label extends string>(
	count: Gauge<Label>,
	ages: Gauge<Label>,
): AgedFigure<Label> {
	const shown = new Map<string, Readonly<Record<Label, string>>>();
	return {
		set(entries) {
			const present = new Map(entries.map((entry) => [JSON.stringify(entry.labels), entry]));
			for (const [name, { labels }] of present) shown.set(name, labels);
			for (const [name, labels] of shown) {
				const entry = present.get(name);
				count.set(labels, entry?.count ?? 0);
				ages.set(labels, entry?.oldestAgeSeconds ?? 0);
			}
		},
	};
}
