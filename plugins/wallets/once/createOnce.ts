import { hexToBytes, keccak256, stringToBytes } from "viem";
import { canonicalJson } from "#core/chain/rpc/canonicalJson.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Fault } from "#core/fault/Fault.ts";
import type { Steps } from "#core/steps/Steps.ts";
import type { Commits } from "#plugins/wallets/commit/Commits.ts";
import type { Intent, OnceRequest } from "#plugins/wallets/contract.ts";
import type { StepName } from "#plugins/wallets/execution/stepNames.ts";
import { onceFault } from "#plugins/wallets/once/faults.ts";

export type OnceWorld = {
	db: Database;
	commits: Commits;
	clock: Clock;
	holder: string;
	session: string;
	steps: Steps<StepName>;
};

/** Printable ASCII, so that what is compared is what was typed. */
const KEY = /^[\x21-\x7e]{1,255}$/;
/** How long one that comes while the first is under way should wait. */
const RUNNING_RETRY_MS = 1_000;

/** Longer than any request that moves money is worked on: what is older is under way no more. */
const REQUEST_MS_MAX = 600_000;

type Taken =
	| { kind: "ours"; intentIds: readonly string[]; created: readonly Intent[] | null }
	| { kind: "answered"; status: number; body: Uint8Array }
	/** Said, not thrown: it wrote nothing, and what shares its commit must not be rolled back. */
	| { kind: "refused"; fault: Fault };

/**
 * Runs requests that can move money once for each key. The key is taken in the transaction that
 * makes the intents, so there is never one without the other; who takes over from a process that
 * died goes on with the same intents, and the path they take sends once.
 */
export function createOnce(world: OnceWorld): (request: OnceRequest) => Promise<Response> {
	return async (request) => {
		const { idempotencyKey: key } = request;
		if (key !== null && !KEY.test(key)) throw onceFault.idempotencyKeyInvalid();
		const taken = await world.steps.run("commit.create", () =>
			world.commits.together(request.principal.profile.id, (tx) => take(world, tx, request)),
		);
		if (taken.kind === "refused") throw taken.fault;
		if (taken.kind === "answered") return respond(taken.status, taken.body);
		try {
			const { status, body } = await request.answer(taken.intentIds, taken.created);
			const bytes = new TextEncoder().encode(JSON.stringify(body));
			if (key === null) return respond(status, bytes);
			const kept = await keep(world, request, { status, bytes });
			return respond(kept.status, kept.body);
		} catch (error) {
			await release(world, request);
			throw error;
		}
	};
}

/**
 * An answer that failed, or could not be written down, is nobody's: the next one with the key goes
 * on with the same intents. Where the database is away this fails too; `take` knows for how long a
 * request can be under way.
 */
async function release(world: OnceWorld, request: OnceRequest): Promise<void> {
	const { principal, route, idempotencyKey } = request;
	if (idempotencyKey === null) return;
	await world.steps
		.run("commit.answer", () =>
			world.db.execute(
				`update wallets.idempotent_answer set session = null
				where profile_id = $1 and route = $2 and key = $3 and status is null`,
				[principal.profile.id, route, idempotencyKey],
			),
		)
		.catch(() => {});
}

async function take(world: OnceWorld, tx: Tx, request: OnceRequest): Promise<Taken> {
	const { idempotencyKey: key, principal, route } = request;
	const make = async (): Promise<Extract<Taken, { kind: "ours" }>> => {
		const created = await request.create(tx);
		return { kind: "ours", intentIds: created.map(({ id }) => id), created };
	};
	if (key === null) return make();
	const profileId = principal.profile.id;
	const bodyHash = hexToBytes(keccak256(stringToBytes(canonicalJson(request.body))));
	// Whoever comes second waits here for the first one's transaction.
	const first = await tx.execute(
		`insert into wallets.idempotent_answer
			(profile_id, route, key, body_hash, intent_ids, holder, session, created_at)
		values ($1, $2, $3, $4, '{}', $5, $6, $7) on conflict do nothing`,
		[profileId, route, key, bodyHash, world.holder, world.session, new Date(world.clock.nowMs())],
	);
	if (first === 0) return takeOver(world, tx, { request, key, bodyHash });
	const made = await make();
	const noteIntents = async () => {
		await tx.execute(
			`update wallets.idempotent_answer set intent_ids = $4
			where profile_id = $1 and route = $2 and key = $3`,
			[profileId, route, key, made.intentIds],
		);
	};
	tx.beforeCommit(noteIntents, { singleStatement: true });
	return made;
}

/** What the first one left: its answer, or its intents where it is gone without one. */
async function takeOver(
	world: OnceWorld,
	tx: Tx,
	given: { request: OnceRequest; key: string; bodyHash: Uint8Array },
): Promise<Taken> {
	const { request, key, bodyHash } = given;
	const names = [request.principal.profile.id, request.route, key];
	const rows = await tx.query<{
		same: boolean;
		status: number | null;
		body: Uint8Array | null;
		intent_ids: string[];
		alive: boolean;
	}>(
		`select body_hash = $4 as same, status, body, intent_ids,
			created_at > $5
				and exists (select from pg_stat_activity where application_name = session) as alive
		from wallets.idempotent_answer where profile_id = $1 and route = $2 and key = $3
		for update`,
		[...names, bodyHash, new Date(world.clock.nowMs() - REQUEST_MS_MAX)],
	);
	const row = rows[0];
	if (!row?.same) return { kind: "refused", fault: onceFault.idempotencyConflict() };
	if (row.status !== null && row.body !== null) {
		return { kind: "answered", status: row.status, body: row.body };
	}
	if (row.alive) {
		const members = { retryAfterMs: RUNNING_RETRY_MS };
		return { kind: "refused", fault: onceFault.requestRunning({ members }) };
	}
	await tx.execute(
		`update wallets.idempotent_answer set holder = $4, session = $5, created_at = $6
		where profile_id = $1 and route = $2 and key = $3`,
		[...names, world.holder, world.session, new Date(world.clock.nowMs())],
	);
	return { kind: "ours", intentIds: row.intent_ids, created: null };
}

/** Answers what stands: another who took over may have been faster, and there is one answer. */
async function keep(
	{ steps, commits, db }: OnceWorld,
	request: OnceRequest,
	{ status, bytes }: { status: number; bytes: Uint8Array },
): Promise<{ status: number; body: Uint8Array }> {
	const owner = request.principal.profile.id;
	const names = [owner, request.route, request.idempotencyKey];
	const kept = await steps.run("commit.answer", () =>
		commits.together(owner, async (tx) => {
			const written = { rows: 0 };
			const write = async () => {
				written.rows = await tx.execute(
					`update wallets.idempotent_answer set status = $4, body = $5
					where profile_id = $1 and route = $2 and key = $3 and status is null`,
					[...names, status, bytes],
				);
			};
			tx.beforeCommit(write, { singleStatement: true });
			return written;
		}),
	);
	if (kept.rows > 0) return { status, body: bytes };
	const rows = await db.query<{ status: number; body: Uint8Array }>(
		`select status, body from wallets.idempotent_answer
		where profile_id = $1 and route = $2 and key = $3`,
		names,
	);
	return rows[0] ?? { status, body: bytes };
}

function respond(status: number, bytes: Uint8Array): Response {
	return new Response(new Uint8Array(bytes), {
		status,
		// It may hold a one-time link.
		headers: {
			"content-type": "application/json; charset=utf-8",
			"cache-control": "no-store",
		},
	});
}
