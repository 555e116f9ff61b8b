import { hexToBytes, keccak256, stringToBytes } from "viem";
import { canonicalJson } from "#core/chain/rpc/canonicalJson.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Fault } from "#core/fault/Fault.ts";
import type { OnceRequest, Recorded } from "#plugins/wallets/contract.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { readyIntents } from "#plugins/wallets/execution/readyIntents.ts";
import { insertIntents } from "#plugins/wallets/intent/insertIntents.ts";
import { newIntentRows } from "#plugins/wallets/intent/newIntentRows.ts";
import { onceFault } from "#plugins/wallets/once/faults.ts";
import { recordOnce } from "#plugins/wallets/once/recordOnce.ts";

export type OnceWorld = Pick<
	ExecutionWorld,
	"db" | "commits" | "clock" | "holder" | "session" | "steps" | "settings" | "newId"
>;

/** Printable ASCII, so that what is compared is what was typed. */
const KEY = /^[\x21-\x7e]{1,255}$/;
/** How long one that comes while the first is under way should wait. */
const RUNNING_RETRY_MS = 1_000;

/** Longer than any request that moves money is worked on: what is older is under way no more. */
const REQUEST_MS_MAX = 600_000;

type Taken =
	| { kind: "ours"; intentIds: readonly string[]; recorded: Recorded | null }
	| { kind: "answered"; status: number; body: Uint8Array }
	/** Said, not thrown: it wrote nothing, and what shares its commit must not be rolled back. */
	| { kind: "refused"; fault: Fault };

/**
 * Runs requests that can move money once for each key. The key is taken by the statement that
 * records the intents, so there is never one without the other; who takes over from a process that
 * died goes on with the same intents, and the path they take sends once.
 */
export function createOnce(world: OnceWorld): (request: OnceRequest) => Promise<Response> {
	return async (request) => {
		const { idempotencyKey: key } = request;
		if (key !== null && !KEY.test(key)) throw onceFault.idempotencyKeyInvalid();
		const taken = await take(world, request);
		if (taken.kind === "refused") throw taken.fault;
		if (taken.kind === "answered") return respond(taken.status, taken.body);
		try {
			const { status, body } = await request.answer(taken.intentIds, taken.recorded);
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

async function take(world: OnceWorld, request: OnceRequest): Promise<Taken> {
	const { steps, commits, holder, session } = world;
	const { idempotencyKey: key, principal, route } = request;
	const { profile } = principal;
	const made = readyIntents(world, request.intents);
	const bodyHash = hexToBytes(keccak256(stringToBytes(canonicalJson(request.body))));
	const isRecorded = { value: false };
	const record = async (tx: Tx) => {
		if (key === null) {
			await insertIntents(tx, made.intents, made.times);
			isRecorded.value = true;
			return;
		}
		const taking = { profileId: profile.id, route, key, bodyHash, holder, session };
		isRecorded.value = await recordOnce(tx, taking, made);
	};
	await steps.run("commit.create", () =>
		commits.together(profile.id, async (tx) => {
			tx.beforeCommit(() => record(tx), { singleStatement: true });
		}),
	);
	if (isRecorded.value || key === null) {
		const intents = newIntentRows.read(made.intents, made.times);
		const intentIds = intents.map(({ id }) => id);
		return { kind: "ours", intentIds, recorded: { intents, profile } };
	}
	return await steps.run("commit.create", () =>
		commits.together(profile.id, (tx) => takeOver(world, tx, { request, key, bodyHash })),
	);
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
	return { kind: "ours", intentIds: row.intent_ids, recorded: null };
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
