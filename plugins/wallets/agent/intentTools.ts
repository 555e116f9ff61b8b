// Makes the agent's tools that list, read and cancel a profile's intents.

import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { isPeriodName, type Period, periodOf } from "#core/period.ts";
import type { Core } from "#core/plugin/Core.ts";
import { type AnyTool, defineTool } from "#core/plugin/Tool.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { intentStatuses } from "#plugins/wallets/intent/Intent.ts";
import {
	type IntentError,
	intentCode,
	intentErrorSchema,
} from "#plugins/wallets/intent/intentError.ts";
import type { Intent, Profile, SpendLimits } from "#plugins/wallets/model.ts";
import type { Wallets } from "#plugins/wallets/Wallets.ts";

const WAITS =
	'It waits for your yes: POST /v1/links with {"intentId":"0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"} makes the link.';

/** Describes an intent of any kind, as the agent's tools answer it. */
export const intentViewSchema = z.object({
	id: field.id("Names the intent."),
	kind: field.text("What it does: `transfer`, `nft_buy` …", "transfer"),
	status: z.enum(intentStatuses).meta({ description: "Where it stands." }),
	errorCode: intentCode("Why it was refused, or failed."),
	error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
	waitsFor: field
		.text("What it waits for its owner to do, and where the link for it comes from.", WAITS)
		.nullable(),
	chain: field.text("Slug of the chain.", "ethereum"),
	summary: field
		.text("What it does, in a sentence; null until it was planned.", "Sends 0.05 ETH to 0x70….")
		.nullable(),
	transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
	createdAt: field.time("When it was asked for."),
	changedAt: field.time("When it last changed."),
});

/** Holds what the tools of wallets and intents need. */
export type WalletToolDeps = {
	wallets: Pick<Wallets, "principalOf" | "execution" | "cancel">;
	core: Pick<Core, "chains" | "reached" | "clock">;
	/** Returns the limits of a profile's canonical wallet, and its spend of the last 24 hours. */
	limitsOf(profile: Profile): Promise<{ limits: SpendLimits; spentTodayUsdMicros: bigint } | null>;
	/** Returns the sum that a profile's actions of a period spent or reserved, and their number. */
	spendingOf(profile: Profile, period: Period): Promise<{ usdMicros: bigint; actions: number }>;
	ending: AbortSignal;
};

export type IntentOfOwner = z.output<typeof intentViewSchema>;

/** Holds what all tools share that only read what belongs to the caller. */
export const ofOwner = { capability: "wallets", effect: "read", access: "profile" } as const;

const LIST_DEFAULT = 10;
const LIST_MAX = 50;

/** A length of time or a past time, by its name. */
export const periodInput = z
	.string()
	.max(40)
	.refine(isPeriodName, "must be a time such as 7d, yesterday-utc, october-utc or 2026-10-14")
	.meta({
		description: "So long until now (`7d`), a month (`2026-10`) or a day (`2026-10-14`); UTC.",
	});

/**
 * Returns the period that a text such as `7d` or `2026-10` names. Throws `malformed_body` where it
 * is in the future, is no date, or is more than ten years ago.
 */
export function requirePeriod(name: string, nowMs: number): Period {
	const period = periodOf(name, nowMs);
	if (period !== null) return period;
	const message = `"${name}" is still to come, is no date, or is more than ten years ago.`;
	throw httpFault.malformedBody({ public: message });
}

const byId = z.strictObject({ id: z.uuid().meta({ description: "An intent's id." }) });

/** Makes the tools that list and read a profile's intents, and the one that cancels an intent. */
export function intentTools(deps: WalletToolDeps): AnyTool[] {
	return [listTool(deps), readTool(deps), cancelTool(deps)];
}

/** Renders an intent for its owner: request and status, without details of how it is sent. */
export function renderIntentView(intent: Intent, chains: ChainRegistry): IntentOfOwner {
	const summary = intent.plan?.shown["summary"];
	return {
		id: intent.id,
		kind: intent.kind,
		status: intent.status,
		errorCode: intent.errorCode,
		error: intent.error,
		waitsFor: ownersTurn(intent),
		chain: chains.byId(intent.chainId)?.slug ?? String(intent.chainId),
		summary: typeof summary === "string" ? summary : null,
		transactionHash: intent.transactionHash,
		createdAt: new Date(intent.createdAtMs).toISOString(),
		changedAt: new Date(intent.changedAtMs).toISOString(),
	};
}

/**
 * Says what an intent waits for its owner to do, and where the link for it comes from; null where
 * it is not their turn.
 */
export function ownersTurn({
	id,
	status,
	channel,
}: Pick<Intent, "id" | "status" | "channel">): string | null {
	const link = `POST /v1/links with {"intentId":"${id}"} makes the link.`;
	switch (status) {
		case "confirmation_required":
			return channel === "agent"
				? `It waits for your yes: open /links/${id} in a browser where you are signed in.`
				: `It waits for your yes: ${link}`;
		case "signature_required":
			return `It waits for your own wallet's signature: ${link}`;
		case "review_required":
			return "It waits for an operator, who looks at it first: there is nothing to do.";
		default:
			return null;
	}
}

/**
 * Describes an intent's status in a few words, for one line of the agent. Only what the chain has
 * confirmed is called done. An unknown status is returned unchanged.
 */
export function statusSentence(
	status: string,
	errorCode: string | null,
	error: Pick<IntentError, "message"> | null = null,
): string {
	const reason = errorCode === null ? "" : ` (${errorCode})`;
	const why = error === null ? "" : `: ${error.message.replace(/\.$/, "")}`;
	switch (status) {
		case "created":
			return "is being prepared, nothing was sent yet";
		case "confirmation_required":
			return "waits for your yes by the link, nothing was sent";
		case "review_required":
			return "waits for a review, nothing was sent";
		case "waiting":
			return "waits for the step before it, nothing of its own was sent";
		case "signature_required":
			return "waits for your wallet's signature by the link";
		case "submitting":
			return "is being sent: do not ask for it again";
		case "submitted":
			return "is on its way, not confirmed yet";
		case "uncertain":
			return "was perhaps sent and is being looked up: do not ask for it again";
		case "confirmed":
			return "is confirmed on chain";
		case "failed":
			return `failed${reason}${why}`;
		case "rejected":
			return errorCode === "cancelled"
				? "was called off, nothing was sent"
				: `was refused${reason}, nothing was sent${why}`;
		case "expired":
			return "ran out, nothing was sent";
		case "dry_run":
			return "was only practised: this service sends nothing";
		default:
			return `is ${status}`;
	}
}

const ENDED: readonly string[] = ["rejected", "confirmed", "failed", "expired", "dry_run"];

/** Returns what ended an intent, by its status and hash; null while it has not ended. */
export function endOfIntent({
	status,
	transactionHash,
}: {
	status: string;
	transactionHash: string | null;
}): { transaction: string | null } | null {
	return ENDED.includes(status) ? { transaction: transactionHash } : null;
}

function listTool({ wallets, core }: WalletToolDeps): AnyTool {
	return defineTool({
		name: "list_intents",
		title: "Your actions",
		description:
			"Returns your newest transfers, buys and other actions, of a period if one is named, and what " +
			"became of them.",
		...ofOwner,
		input: z.strictObject({
			limit: z.int().min(1).max(LIST_MAX).optional().meta({ description: "10 unless given." }),
			window: periodInput.optional(),
			only: z
				.enum(["open", "transfers"])
				.optional()
				.meta({ description: `\`open\`: of your newest ${LIST_MAX}, those that are not over.` }),
		}),
		output: z.object({
			intents: z.array(intentViewSchema),
			only: z.enum(["open", "transfers"]).nullable().meta({ description: "What was asked for." }),
		}),
		async run({ limit = LIST_DEFAULT, window, only }, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			const isOpen = only === "open";
			const { items } = await wallets.execution.list(profile.id, {
				limit: isOpen ? LIST_MAX : limit,
				...(window === undefined ? {} : { period: requirePeriod(window, core.clock.nowMs()) }),
				...(only === "transfers" ? { kinds: ["transfer"] } : {}),
			});
			const found = items.map((intent) => renderIntentView(intent, core.chains));
			const intents = isOpen ? found.filter((one) => endOfIntent(one) === null) : found;
			return { kind: "done", output: { intents: intents.slice(0, limit), only: only ?? null } };
		},
		line({ intents, only }) {
			const [newest] = intents;
			const which =
				only === "open" ? `open action among your newest ${LIST_MAX}` : "such action yet";
			if (!newest) return `You have no ${which}.`;
			const { kind, status, errorCode, error } = newest;
			const more = intents.length > 1 ? ` ${intents.length - 1} before it.` : "";
			return `Newest: ${kind} ${statusSentence(status, errorCode, error)}.${more}`;
		},
		asOfMs: () => null,
	});
}

function readTool({ wallets, core }: WalletToolDeps): AnyTool {
	return defineTool({
		name: "read_intent",
		title: "One of your actions",
		description: "Returns what became of one of your actions, by its id.",
		...ofOwner,
		input: byId,
		output: intentViewSchema,
		async run({ id }, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			const intent = await wallets.execution.read(id, profile.id);
			if (!intent) throw executionFault.notFound();
			return { kind: "done", output: renderIntentView(intent, core.chains) };
		},
		line({ kind, status, errorCode, error, waitsFor }) {
			return waitsFor ?? `Your ${kind} ${statusSentence(status, errorCode, error)}.`;
		},
		asOfMs: () => null,
	});
}

function cancelTool({ wallets, core, ending }: WalletToolDeps): AnyTool {
	return defineTool({
		name: "cancel_intent",
		title: "Cancel an action",
		description:
			"Cancels one of your actions. What was not sent is called off at once; what was sent is " +
			"cancelled by its nonce, at the wallet's cost for gas, and may still be faster.",
		capability: "wallets",
		effect: "execute",
		access: "profile",
		input: byId,
		output: intentViewSchema.extend({ cancelUrl: z.string().nullable() }),
		async run({ id }, { caller, signal }) {
			const { profile } = await wallets.principalOf(caller);
			const own = await wallets.execution.read(id, profile.id);
			if (!own) throw executionFault.notFound();
			const by = { profile, signal: AbortSignal.any([ending, signal]) };
			const { intent, cancelUrl } = await wallets.cancel(id, by);
			const output = { ...renderIntentView(intent, core.chains), cancelUrl };
			return { kind: "done", output };
		},
		line({ kind, status, errorCode, cancelUrl }) {
			if (cancelUrl) return `Only your own wallet can cancel this ${kind}: sign by the link.`;
			if (status === "submitted" || status === "uncertain" || status === "submitting") {
				return `Cancelling your ${kind}: it counts once the chain has it, the payment may be faster.`;
			}
			return `Your ${kind} ${statusSentence(status, errorCode)}.`;
		},
		asOfMs: () => null,
		links: ({ cancelUrl }) => (cancelUrl === null ? [] : [{ rel: "cancel", url: cancelUrl }]),
		order: {
			idOf: ({ id }) => id,
			async read(id, { caller }) {
				const { profile } = await wallets.principalOf(caller);
				const intent = await wallets.execution.read(id, profile.id);
				if (!intent) throw executionFault.notFound();
				return { ...renderIntentView(intent, core.chains), cancelUrl: null };
			},
			end: (one) => endOfIntent(one),
		},
	});
}
