// Serves operators: intents that wait too long, and what settles them.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Audit } from "#core/audit/createAudit.ts";
import { isWord } from "#core/chain/Hex.ts";
import { ANY_CASE_WORD_PATTERN } from "#core/chain/hexSchemas.ts";
import { field } from "#core/http/openapi/schema.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import { cancelIntent } from "#plugins/wallets/cancel/cancelIntent.ts";
import { cancellationSchema } from "#plugins/wallets/cancel/planCancellation.ts";
import { documented } from "#plugins/wallets/documented.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { intentCode, intentErrorSchema } from "#plugins/wallets/intent/intentError.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { LOOK_TIMEOUT_MS } from "#plugins/wallets/reconcile/looks.ts";
import { tellReceipt } from "#plugins/wallets/reconcile/settleMined.ts";
import {
	resolveFault,
	resolveIntent,
	reviewIntent,
	settlePast,
} from "#plugins/wallets/resolve/resolveIntent.ts";
import { WAITING_LISTED_MAX, waitWords } from "#plugins/wallets/watch/judgeWait.ts";
import { listWaiting, renderWaiting } from "#plugins/wallets/watch/readWaiting.ts";

const reasons = Object.keys(waitWords);

const actionSchema = z
	.object({
		name: z
			.enum([
				"callOff",
				"transactionHash",
				"abandon",
				"ownerCancels",
				"repairRow",
				"review",
				"pastKnown",
				"arrived",
			])
			.meta({ description: "What `resolve` takes, or who else acts." }),
		does: field.text(
			"What it does, as a sentence.",
			"Uses its nonce for a transaction of nothing.",
		),
	})
	.meta({ id: "WaitingAction", description: "Something that can be done about an intent now." });

const waitingIntentSchema = z
	.object({
		id: field.id("The intent."),
		kind: field.text("What kind of intent it is.", "wallet_transfer"),
		status: field.text("Where it stands.", "uncertain"),
		errorCode: intentCode("Why it is to be reviewed, or in doubt; else null."),
		error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
		reason: field.text(`One of ${reasons.join(", ")}.`, reasons[0] ?? ""),
		waitsFor: field.text("What it waits for, as a sentence.", "A node to show the transaction."),
		actions: z.array(actionSchema).meta({
			description:
				"What is available now: what `resolve` takes; `ownerCancels` by a link or in their wallet; " +
				"`repairRow` by hand. Empty where there is nothing to do but to wait for what `waitsFor` says.",
		}),
		cancellation: cancellationSchema,
		walletId: field
			.text("The wallet that pays.", "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69")
			.nullable(),
		chainId: z
			.int()
			.nullable()
			.meta({ description: "EIP-155 id of the chain.", examples: [1] }),
		sender: field.addressText("The address that pays.").nullable(),
		nonce: z
			.int()
			.nullable()
			.meta({ description: "The nonce that it has.", examples: [7] }),
		transactionHash: field.hashText("Its transaction; null where none is known.").nullable(),
		since: z.iso
			.datetime()
			.nullable()
			.meta({
				description: "Since when it waits.",
				examples: ["2026-03-01T12:00:00.000Z"],
			}),
	})
	.meta({
		id: "WaitingIntent",
		description: "An intent that waits for longer than it should. What cannot be read is null.",
	});

/** Describes waiting intents for operators. What cannot be read is null. */
const waitingSchema = z
	.object({
		intents: z.array(waitingIntentSchema).meta({ description: "The oldest first." }),
		hasMore: field.flag(`Whether there are more than ${WAITING_LISTED_MAX}.`),
	})
	.meta({ id: "WaitingIntentList", description: "Intents that wait, and what to do about each." });

const hash = z
	.string()
	.toLowerCase()
	.refine(isWord, "a transaction's hash")
	.meta({
		pattern: ANY_CASE_WORD_PATTERN,
		description: "Settle it by this transaction.",
		examples: [`0x${"5d".repeat(32)}`],
	});
const bodySchema = z
	.strictObject({
		transactionHash: hash.optional(),
		abandon: z.literal(true).optional().meta({ description: "End it by whatever used its nonce." }),
		callOff: z
			.literal(true)
			.optional()
			.meta({ description: "Use its nonce for a transaction of nothing." }),
		arrived: z.boolean().optional().meta({
			description: "Of what is mined and in doubt: whether it is where it was to go.",
		}),
		pastKnown: z.literal(true).optional().meta({
			description: "Ask nothing more about what its wallet sent so far without a record.",
		}),
		review: z.enum(["approve", "refuse"]).optional().meta({
			description: "Answer a review: say yes to its plan as it stands, or end it.",
		}),
	})
	.refine((body) => Object.values(body).filter((value) => value !== undefined).length === 1, {
		message:
			"name a transaction's hash, abandon the intent, call it off, say whether it arrived, answer " +
			"its review, or say that its wallet's past is known: one of these",
	})
	.meta({
		id: "Resolution",
		description: "How to settle an intent, or to answer its review: one of these.",
		minProperties: 1,
		maxProperties: 1,
		examples: [{ abandon: true }],
	});
const resolvedSchema = z
	.object({
		id: field.id("The intent."),
		status: field.text("Where it stands now.", "confirmed"),
		errorCode: intentCode("Why it failed; null where it did not."),
		error: intentErrorSchema.nullable().meta({ description: "The same in a sentence." }),
		transactionHash: field.hashText("Its transaction; null where none is known.").nullable(),
		cancellation: cancellationSchema,
	})
	.meta({ id: "Resolved", description: "An intent after an operator's decision." });
const about = { tags: ["admin"], security: [{ admin: [] }] };

type ArrivalResolution = { intentId: string; arrived: boolean; actor: string };

const NOT_THERE = {
	code: "not_received",
	detail: "An operator looked: it is not where it was to go.",
};

export type ResolveOptions = {
	deps: ExecutionDeps;
	core: Pick<Core, "audit" | "operators">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

/** Lets operators settle what nothing else settles: they point, the chain decides. */
export function resolveRoutes({ deps, core, ending }: ResolveOptions) {
	const { audit, operators } = core;
	return (
		new Elysia({ prefix: "/v1/admin/trading/intents" })
			// Before anything is validated: a stranger learns nothing but that a key is wanted.
			.derive(({ request }) => ({ operator: operators.authenticate(request) }))
			.get(
				"",
				async ({ set }) => {
					set.headers["cache-control"] = "no-store";
					const listed = await listWaiting(deps, WAITING_LISTED_MAX + 1);
					const intents = listed.slice(0, WAITING_LISTED_MAX).map(renderWaiting);
					return { intents, hasMore: listed.length > intents.length };
				},
				{
					response: { 200: waitingSchema },
					detail: {
						...about,
						operationId: "listWaitingIntents",
						summary:
							"Lists intents that wait for longer than they should, and what to do about each",
						description:
							"Those in doubt, those in a nonce queue for ten seconds, those that were sent for longer " +
							"than their chain needs (TRADING_SLOW_AFTER_SECONDS, 20 blocks at least), and those " +
							"whose rows cannot be read. The oldest come first.",
					},
				},
			)
			.post(
				"/:id/resolve",
				async ({ params, body, operator, set }) => {
					set.headers["cache-control"] = "no-store";
					const { id: intentId } = params;
					const { actor } = operator;
					return resolvedOf(await resolveBy({ deps, audit, ending }, { intentId, body, actor }));
				},
				{
					params: z.object({
						id: z.uuid().meta({
							description: "The intent.",
							examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
						}),
					}),
					body: bodySchema,
					response: { 200: resolvedSchema },
					detail: {
						...about,
						operationId: "resolveIntent",
						summary: "Settles an intent in doubt by what the chain proves, or answers its review",
						description:
							"With `transactionHash`, by that transaction: the planned one settles the intent, " +
							"another one that used its nonce for good ends it. With `abandon: true`, by whatever " +
							"used its nonce; refused while the nonce is free. With `callOff: true` its nonce is used " +
							"by a transaction of nothing, and it ends once that is final. With `review`, an intent whose " +
							"status is `review_required` is planned anew, or ended. With `arrived`, what is mined and " +
							"`uncertain`, because its receipt and the balances of its block differ, is `confirmed` or " +
							"`failed`. With `pastKnown`, nothing that its wallet sent so far without a record is asked " +
							"about any more (`looks_paid`). Written to the audit log.",
						...canFail(
							executionFault.notFound,
							resolveFault.intentState,
							resolveFault.evidenceMissing,
							resolveFault.nonceFree,
							...documented.cancelFailures,
						),
					},
				},
			)
	);
}

async function resolveBy(
	{ deps, audit, ending }: Pick<ResolveOptions, "deps" | "ending"> & { audit: Audit },
	asked: { intentId: string; actor: string; body: z.infer<typeof bodySchema> },
): Promise<Intent> {
	const { intentId, actor, body } = asked;
	const { review, arrived, transactionHash = null } = body;
	const signal = AbortSignal.any([ending, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	if (review) return await reviewIntent(deps, { intentId, answer: review, actor, ending });
	if (arrived !== undefined) return await resolveArrival(deps, audit, { intentId, arrived, actor });
	if (body.pastKnown) return await settlePast(deps, audit, { intentId, actor, signal });
	if (body.callOff) {
		return await cancelIntent(deps, { intentId, actor: `operator:${actor}`, signal });
	}
	return await resolveIntent(deps, audit, { intentId, claim: { transactionHash }, actor, signal });
}

function resolvedOf({ id, status, errorCode, error, transactionHash, cancellation }: Intent) {
	return { id, status, errorCode, error, transactionHash, cancellation };
}

/**
 * Settles, by an operator's decision, a mined intent of which it is not known whether the bought
 * item arrived: its receipt and balances contradict each other. The spend counts either way. Throws
 * `intent_state` (409) for everything else.
 */
export async function resolveArrival(
	deps: Pick<ExecutionDeps, "db" | "clock" | "steps">,
	audit: Audit,
	{ intentId, arrived, actor }: ArrivalResolution,
): Promise<Intent> {
	const at = new Date(deps.clock.nowMs());
	return await deps.steps.run("commit.found", () =>
		deps.db.transaction(async (tx) => {
			// In the order in which everybody takes them.
			const [payment] = await tx.query<{ state: string }>(
				`select state::text as state from wallets.submission
				where intent_id = $1 and purpose = 'pay' order by step desc limit 1 for update`,
				[intentId],
			);
			await tx.query("select 1 from wallets.intent where id = $1 for no key update", [intentId]);
			const [before] = await readIntents(tx, [intentId]);
			if (!before) throw executionFault.notFound();
			const isDoubtful = payment?.state === "mined" && before.status === "uncertain";
			if (!isDoubtful) throw executionFault.intentState();
			const missing = arrived ? null : NOT_THERE;
			await tellReceipt(tx, { intentId, succeeded: true, missing, spentRaw: null, at });
			const [after] = await readIntents(tx, [intentId]);
			if (!after) throw executionFault.notFound();
			await audit.append(tx, {
				actor: `operator:${actor}`,
				action: "trading.intent.resolved",
				subject: `intent:${intentId}`,
				detail: {
					claimed: arrived ? "arrived" : "not_arrived",
					before: before.status,
					after: after.status,
					errorCode: after.errorCode,
					doubted: before.errorCode,
					transactionHash: after.transactionHash,
				},
			});
			return after;
		}),
	);
}
