import { createHash, randomBytes } from "node:crypto";
import { bytesToHex, hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import type { Steps } from "#core/steps/Steps.ts";
import { type CancelTerms, cancelTerms } from "#plugins/wallets/cancel/cancelTerms.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/execution/executionConfig.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import type { StepName } from "#plugins/wallets/execution/stepNames.ts";
import { readBatch } from "#plugins/wallets/intent/intentRow.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import {
	LINK_TOKEN_BYTES,
	LINKS_PER_INTENT_MAX,
	SIGNED_GRACE_MS,
} from "#plugins/wallets/link/limits.ts";
import { hashBatch } from "#plugins/wallets/plan/hashPlan.ts";

export type LinkPurpose = "confirm" | "sign" | "cancel";

export type OpenLink = {
	intentId: string;
	purpose: LinkPurpose;
	/** Of a cancellation it is the hash of its terms. */
	planHash: Hex;
	/** What a link to cancel asks to be signed; null for all others. */
	terms: CancelTerms | null;
	expiresAtMs: number;
};

export type MadeLink = { url: string; expiresAtMs: number };

export type LinksDeps = {
	db: Database;
	clock: Clock;
	steps: Steps<StepName>;
	/** Where browsers reach the service, without a slash at its end. */
	publicUrl: string;
};

export type Links = ReturnType<typeof createLinks>;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Makes one-time links. Who has one may look at the plan, and say yes once: it is bound to the
 * plan's hash, so what was changed since is not agreed to. The database has only the hash of its
 * token.
 *
 * One word confirms a batch: a link to one of its intents is bound to the plans of all of them.
 */
export function createLinks(deps: LinksDeps) {
	return {
		async make(intent: Intent, purpose: Exclude<LinkPurpose, "cancel">): Promise<MadeLink> {
			const asked = purpose === "confirm" ? await readBatch(deps.db, intent) : [intent];
			const planHash = hashBatch(asked);
			if (planHash === null) throw executionFault.intentState();
			const untilMs = Math.min(...asked.map((one) => one.expiresAtMs));
			return await issue(deps, { intentId: intent.id, purpose, planHash, terms: null, untilMs });
		},
		/**
		 * Makes a link to cancel what its owner's wallet sent, bound to exactly these terms. How long
		 * the payment was allowed to wait before it was sent does not bound it: it was sent.
		 */
		async makeCancel(terms: CancelTerms): Promise<MadeLink> {
			const { intentId } = terms;
			const planHash = cancelTerms.hash(terms);
			const untilMs = Number.POSITIVE_INFINITY;
			return await issue(deps, { intentId, purpose: "cancel", planHash, terms, untilMs });
		},
		/** Throws `not_found` for whatever is no link any more: used, run out, or never one. */
		async look(token: string): Promise<OpenLink> {
			return open(deps, deps.db, { token, graceMs: 0 });
		},
		/** Says what a link is or was about. Null: it never was one, or is long gone. */
		async recall(token: string): Promise<Pick<OpenLink, "intentId" | "purpose"> | null> {
			if (!TOKEN.test(token)) return null;
			const [row] = await deps.db.query<{ intent_id: string; purpose: LinkPurpose }>(
				"select intent_id, purpose from wallets.link where token_hash = $1",
				[hashOf(token)],
			);
			return row ? { intentId: row.intent_id, purpose: row.purpose } : null;
		},
		/**
		 * Uses it up, in the transaction of what it is used for. A link to sign or to cancel by may be
		 * used a while after it ran out: what was sent in time is told by it.
		 */
		async use(tx: Tx, token: string): Promise<OpenLink> {
			const link = await open(deps, tx, { token, graceMs: SIGNED_GRACE_MS });
			const used = await tx.execute(
				"update wallets.link set used_at = $2 where token_hash = $1 and used_at is null",
				[hashOf(token), new Date(deps.clock.nowMs())],
			);
			if (used === 0) throw linkFault.notFound();
			return link;
		},
	};
}

function hashOf(token: string): Uint8Array {
	return createHash("sha256").update(token).digest();
}

/** Makes a token, and its link: good for ten minutes, and never past a time. */
async function issue(
	deps: LinksDeps,
	{ untilMs, ...about }: Omit<OpenLink, "expiresAtMs"> & { untilMs: number },
): Promise<MadeLink> {
	const token = randomBytes(LINK_TOKEN_BYTES).toString("base64url");
	const nowMs = deps.clock.nowMs();
	const expiresAtMs = Math.min(nowMs + QUESTION_LIFETIME_MS, untilMs);
	const link = { ...about, token, nowMs, expiresAtMs };
	const made = await deps.steps.run("commit.link", () => insert(deps.db, link));
	if (made === 0) throw linkFault.linksTooMany();
	return { url: `${deps.publicUrl}/links/${token}`, expiresAtMs };
}

/** Counts along the index `link_intent`; 0 where the intent has as many links as it may have. */
function insert(db: Queryable, link: OpenLink & { token: string; nowMs: number }): Promise<number> {
	return db.execute(
		`insert into wallets.link
			(token_hash, intent_id, purpose, plan_hash, created_at, expires_at, terms)
		select $1::bytea, $2::uuid, $3::text, $4::bytea, $5::timestamptz, $6::timestamptz, $8::jsonb
		where (
			select count(*) from wallets.link where intent_id = $2 and expires_at > $5
		) < $7`,
		[
			hashOf(link.token),
			link.intentId,
			link.purpose,
			hexToBytes(link.planHash),
			new Date(link.nowMs),
			new Date(link.expiresAtMs),
			LINKS_PER_INTENT_MAX,
			link.terms && JSON.stringify(cancelTerms.write(link.terms)),
		],
	);
}

async function open(
	deps: LinksDeps,
	db: Queryable,
	{ token, graceMs }: { token: string; graceMs: number },
): Promise<OpenLink> {
	const nowMs = deps.clock.nowMs();
	const rows = TOKEN.test(token)
		? await db.query<{
				intent_id: string;
				purpose: LinkPurpose;
				plan_hash: Uint8Array;
				terms: unknown;
				expires_at: Date;
			}>(
				`select intent_id, purpose, plan_hash, terms, expires_at from wallets.link
				where token_hash = $1 and used_at is null and expires_at >
					case purpose when 'confirm' then $2::timestamptz else $3::timestamptz end`,
				[hashOf(token), new Date(nowMs), new Date(nowMs - graceMs)],
			)
		: [];
	const row = rows[0];
	if (!row) throw linkFault.notFound();
	return {
		intentId: row.intent_id,
		purpose: row.purpose,
		planHash: bytesToHex(row.plan_hash),
		terms: row.terms === null ? null : cancelTerms.read(row.terms),
		expiresAtMs: row.expires_at.getTime(),
	};
}

/** Makes a link for each intent that waits for its owner; a batch to be confirmed has one. */
export async function askAgain(
	links: Pick<Links, "make">,
	intents: readonly Intent[],
): Promise<Map<string, { url: string; expiresAtMs: number }>> {
	const asked = new Map<string, { url: string; expiresAtMs: number }>();
	const ofBatch = new Map<string, { url: string; expiresAtMs: number }>();
	for (const intent of intents) {
		if (intent.status === "signature_required") {
			asked.set(intent.id, await links.make(intent, "sign"));
		} else if (intent.status === "confirmation_required") {
			const batch = intent.batchId ?? intent.id;
			const link = ofBatch.get(batch) ?? (await links.make(intent, "confirm"));
			ofBatch.set(batch, link);
			asked.set(intent.id, link);
		}
	}
	return asked;
}
