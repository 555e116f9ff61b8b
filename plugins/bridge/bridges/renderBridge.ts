// Declares and renders a bridge as its owner sees it.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { pageSchema } from "#core/http/pages.ts";
import { formatAmount } from "#core/money.ts";
import { mayBeLeftOver } from "#plugins/bridge/bridges/signedStep.ts";
import { BRIDGE_STATUSES, type BridgeRoute } from "#plugins/bridge/model.ts";
import { type Authorization, contractOf } from "#plugins/bridge/quote/authorizations.ts";
import { arrivalsOf, type Bridge, isProven } from "#plugins/bridge/sql/bridges.ts";
import { MOVES_LISTED_MAX, type Moved } from "#plugins/bridge/sql/moves.ts";
import type { StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import {
	errorOfCode,
	type Intent,
	intentCode,
	intentErrorSchema,
} from "#plugins/wallets/contract.ts";

const nullable = <Type extends z.ZodType>(type: Type) => type.nullable();
const placeSchema = z
	.object({
		chain: field.text("Slug of the chain.", "base"),
		chainId: field.integer("EIP-155 id of the chain.", 8_453),
		currency: field.addressText("The currency; the zero address is the chain's coin."),
		symbol: field.text("Its symbol.", "ETH"),
		decimals: field.integer("Its decimals.", 18),
	})
	.meta({ id: "BridgePlace", description: "One end of a bridge." });

const feeSchema = z
	.object({
		name: field.text("What it is for.", "relayer"),
		amountRaw: z.string().meta({
			pattern: "^-?(0|[1-9][0-9]*)$",
			description: "In base units; negative where somebody else pays.",
			examples: ["1000"],
		}),
		symbol: field.text("Its currency.", "ETH"),
		amountUsd: nullable(
			z.string().meta({ description: "In US dollars, as the provider says.", examples: ["0.02"] }),
		),
	})
	.meta({ id: "BridgeFee", description: "A fee of a quote, as the provider names it." });

const quoteSchema = z
	.object({
		requestId: field.hashText("The provider's id of the request."),
		orderId: field.hashText("The order that is deposited for."),
		expectedOut: field.decimal("What is expected to arrive.", "998"),
		expectedOutRaw: field.digits("The same in base units.", "998000000"),
		minimumOut: field.decimal("What arrives at least, or all comes back.", "993"),
		minimumOutRaw: field.digits("The same in base units.", "993000000"),
		impactPercent: nullable(
			z.string().meta({
				description: "What is lost of its worth, as the provider says.",
				examples: ["-0.2"],
			}),
		),
		estimateSeconds: nullable(field.integer("Seconds that it takes, as the provider says.", 2)),
		fees: z.array(feeSchema).meta({ description: "What the provider says that it takes." }),
		expiresAt: field.time("Until when the deposit must be on chain."),
	})
	.meta({ id: "BridgeQuote", description: "What the provider offered, checked and stored." });

const call = z.object({
	kind: z.enum(["approve", "deposit", "authorize"]).meta({
		description: "What it does. `authorize`: a signature, which calls nothing.",
	}),
	chainId: field.integer("The chain that it runs on.", 8_453),
	from: field.addressText("The wallet that sends it."),
	to: field.addressText("What is called."),
	valueRaw: field.digits("Wei of the coin that it carries.", "500000000000000000"),
	data: z.string().meta({ description: "Its calldata, built here.", examples: ["0x49290c1c"] }),
});

/** A step as it was quoted. */
export const quotedStepSchema = call.meta({
	id: "BridgeQuotedStep",
	description: "One step of a bridge, as it was stored before anything was executed.",
});

const stepSchema = call
	.extend({
		intentId: nullable(field.id("Its intent; null: none was recorded.")),
		status: nullable(field.text("Where that stands; null: none was recorded.", "confirmed")),
		transactionHash: nullable(field.hashText("Its transaction; null: none was sent.")),
	})
	.meta({ id: "BridgeStep", description: "One step of a bridge, and what became of it." });

const arrivalSchema = z
	.object({
		chainId: nullable(field.integer("The chain where it arrived.", 4_663)),
		transactionHash: nullable(field.hashText("The transaction that paid it, or the last one.")),
		transactionHashes: z.array(field.hashText("One that paid a part of it.")).meta({
			description: "All transactions that paid it: it may come in parts.",
		}),
		amountRaw: nullable(field.digits("What arrived, read from that chain.", "998000000")),
		currency: nullable(field.addressText("In which currency.")),
		verified: field.flag("Whether a node of that chain confirmed it."),
	})
	.meta({ id: "BridgeArrival", description: "Money as it arrived." });

export const bridgeSchema = z
	.object({
		id: field.id("Names the bridge."),
		status: z.enum(BRIDGE_STATUSES).meta({
			description:
				"`success` and `refund` are the provider's last word, looked up on chain. `failure` and " +
				"`timed_out` may still become either for a day. `uncertain`: where the money is cannot be " +
				"said yet; never send it again.",
		}),
		errorCode: intentCode("Why it stands there."),
		detail: nullable(field.text("The same in a sentence.", "The bridge's quote has ended.")),
		error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
		where: field.text("Where the money is, in a sentence.", "It is on its way to robinhood."),
		mode: z.enum(["normal", "degen_2_stable", "direct"]).meta({ description: "As asked for." }),
		amount: field.text("What is paid in, as it was typed.", "0.5"),
		amountRaw: nullable(field.digits("In base units; null: not resolved.", "500000000000000000")),
		origin: nullable(placeSchema).meta({ description: "Where it leaves; null: not resolved." }),
		destination: nullable(placeSchema).meta({ description: "Where it arrives." }),
		from: nullable(field.addressText("The wallet that it leaves.")),
		recipient: nullable(field.addressText("Who gets it.")),
		refundTo: nullable(field.addressText("Who gets it back, if it comes back.")),
		quote: nullable(quoteSchema).meta({ description: "Null: there is none." }),
		steps: z.array(stepSchema).meta({ description: "What is sent, in this order." }),
		intentId: nullable(field.id("The intent that deposits; null: none was recorded.")),
		depositOf: nullable(
			field.id("The bridge whose order this one's deposit was made for once more; null: its own."),
		),
		revocable: field.flag("Whether an allowance may be left over; see `revoke`."),
		depositHash: nullable(field.hashText("The deposit's transaction; null: none was sent.")),
		providerStatus: nullable(field.text("The provider's newest word.", "pending")),
		providerReason: nullable(field.text("Why the provider failed.", "SLIPPAGE")),
		arrived: arrivalSchema
			.nullable()
			.meta({ description: "What arrived, or came back; null: nothing was told." }),
		confirmUrl: nullable(
			field.url("A one-time link for its owner, to say yes.", "https://app.example.com/links/x7"),
		),
		signUrl: nullable(
			field.url(
				"A one-time link by which its owner's own wallet signs the step that is next.",
				"https://app.example.com/links/q2",
			),
		),
		createdAt: field.time("When it was asked for."),
		changedAt: field.time("When its status last changed."),
	})
	.meta({ id: "Bridge", description: "Money on its way from one chain to another." });

export const bridgePageSchema = z
	.object({
		data: z.array(bridgeSchema).meta({ description: "Bridges, newest first." }),
		page: pageSchema,
	})
	.meta({ id: "BridgePage", description: "A page of your bridges." });

export type BridgeView = z.output<typeof bridgeSchema>;

export const moveSchema = z
	.object({
		at: field.time("When it was written down."),
		event: field.text(
			"What happened. `word`: the provider, or what was found, said something else; `verify`: a " +
				"node of ours agreed with what the provider's own node had shown.",
			"deposit",
		),
		from: z.enum(BRIDGE_STATUSES).meta({ description: "The status before it." }),
		to: z.enum(BRIDGE_STATUSES).meta({ description: "The status after it." }),
		detail: nullable(field.text("A reason, as a code or a sentence.", "fill_short")),
		depositHash: nullable(field.hashText("The deposit's transaction, as far as it was known.")),
		arrivalHash: nullable(field.hashText("The transaction of what arrived, or came back.")),
		arrivalHashes: z.array(field.hashText("One that paid a part of it.")).meta({
			description: "All transactions of what arrived, or came back.",
		}),
		arrivalChainId: nullable(field.integer("The chain of that.", 4_663)),
		providerStatus: nullable(field.text("The provider's word by then.", "pending")),
		providerReason: nullable(field.text("Why the provider failed.", "SLIPPAGE")),
		provenBy: z
			.enum(["own_node", "provider_node"])
			.nullable()
			.meta({ description: "Whose node showed it; null: nobody's, or it needs no proof." }),
	})
	.meta({ id: "BridgeMove", description: "One line of a bridge's timeline." });

export const timelineSchema = z
	.object({
		moves: z.array(moveSchema).max(MOVES_LISTED_MAX).meta({ description: "The oldest first." }),
	})
	.meta({ id: "BridgeTimeline", description: "What happened to a bridge, in its order." });

/** Renders one line of a bridge's timeline. */
export function renderMove(moved: Moved): z.output<typeof moveSchema> {
	const { at, event, from, to, detail, depositHash, outHash, outChainId, ...rest } = moved;
	const arrivalHashes = arrivalsOf(moved);
	const { providerStatus, providerReason, provenBy } = rest;
	return {
		...{ at: at.toISOString(), event, from, to, detail, depositHash },
		...{ arrivalHash: outHash, arrivalHashes, arrivalChainId: outChainId },
		...{ providerStatus, providerReason, provenBy },
	};
}

/** Renders a bridge as its owner sees it. */
export function renderBridge(
	bridge: Bridge,
	given: {
		quote: StoredQuote | null;
		/** The one that deposits, then its allowance, then what took an older allowance back. */
		intents: readonly Intent[];
		/** Intents that sign in place of the deposit, also those that were asked for later. */
		signers: readonly (Intent | null)[];
		later: readonly Authorization[];
		confirmUrl: string | null;
		signUrl: string | null;
	},
): BridgeView {
	const { quote, intents, signers, later, confirmUrl, signUrl } = given;
	const [deposit, allowance, reset] = intents;
	const { route, request } = bridge;
	return {
		...{ id: bridge.id, status: bridge.status, errorCode: bridge.errorCode },
		error: errorOf(bridge, [...intents, ...signers]),
		...{ detail: bridge.detail, where: whereIs(bridge), mode: request.mode },
		...{ amount: request.amount, amountRaw: route ? String(route.amountRaw) : null },
		...{ origin: route?.origin ?? null, destination: route?.destination ?? null },
		...{ from: route?.user ?? null, recipient: route?.recipient ?? null },
		refundTo: route?.refundTo ?? null,
		quote: quote && route ? renderQuote(quote, route) : null,
		steps: [
			...resetStep(quote, reset),
			...renderSteps(quote, later).map((step, place) => {
				const sent = step.kind === "deposit" ? deposit : allowance;
				return { ...step, ...sentBy(step.kind === "authorize" ? signers[place] : sent) };
			}),
		],
		...{ intentId: bridge.intentId, depositOf: bridge.depositOf },
		revocable: mayBeLeftOver(bridge, quote),
		depositHash: deposit?.transactionHash ?? bridge.depositHash,
		...{ providerStatus: bridge.providerStatus, providerReason: bridge.providerReason },
		arrived: arrivedOf(bridge),
		...{ confirmUrl, signUrl },
		createdAt: bridge.createdAt.toISOString(),
		changedAt: bridge.changedAt.toISOString(),
	};
}

function sentBy(intent: Intent | null | undefined) {
	const { id = null, status = null, transactionHash = null } = intent ?? {};
	return { intentId: id, status, transactionHash };
}

/** Renders the step that takes an older allowance back, where one stood in the way. */
function resetStep(quote: StoredQuote | null, reset: Intent | undefined): BridgeView["steps"] {
	const [approve] = renderSteps(quote);
	if (!reset || approve?.kind !== "approve") return [];
	const data = `${approve.data.slice(0, -64)}${"0".repeat(64)}`;
	return [{ ...approve, data, ...sentBy(reset) }];
}

/** Returns the error of a bridge: that of its step where it has the same code. */
function errorOf(
	{ errorCode: code, detail }: Bridge,
	steps: readonly (Intent | null)[],
): BridgeView["error"] {
	if (code === null) return null;
	const own = steps.find((step) => step?.error?.code === code)?.error;
	return own ?? (detail === null ? errorOfCode(code) : { code, message: detail });
}

/** Renders a quote's steps in order, then the signatures that the provider asked for later. */
export function renderSteps(
	quote: StoredQuote | null,
	later: readonly Authorization[] = [],
): z.output<typeof quotedStepSchema>[] {
	if (!quote) return [];
	const sent = quote.steps.map(({ valueRaw, ...step }) => ({
		...step,
		valueRaw: String(valueRaw),
	}));
	const signed = [...quote.authorizations, ...later].map((one) => ({
		...{ kind: "authorize" as const, chainId: one.chainId, from: one.user },
		...{ to: contractOf(one), valueRaw: "0", data: "0x" },
	}));
	return [...sent, ...signed];
}

function renderQuote(
	quote: StoredQuote,
	{ destination }: BridgeRoute,
): z.output<typeof quoteSchema> {
	const whole = (units: bigint) => formatAmount({ units, currency: destination });
	const { requestId, orderId, expectedOutRaw, minimumOutRaw, told } = quote;
	return {
		...{ requestId, orderId },
		...{ expectedOut: whole(expectedOutRaw), expectedOutRaw: String(expectedOutRaw) },
		...{ minimumOut: whole(minimumOutRaw), minimumOutRaw: String(minimumOutRaw) },
		...{ impactPercent: told.impactPercent, estimateSeconds: wholeSeconds(told) },
		fees: Object.entries(told.fees).map(([name, fee]) => ({ name, ...fee })),
		expiresAt: new Date(quote.deadlineMs).toISOString(),
	};
}

function wholeSeconds({ estimateSeconds }: StoredQuote["told"]): number | null {
	return estimateSeconds === null ? null : Math.ceil(estimateSeconds);
}

function arrivedOf(bridge: Bridge): BridgeView["arrived"] {
	const { isVerified, outHash, outChainId, outCurrency, arrivedRaw } = bridge;
	if (outHash === null && isVerified === null) return null;
	return {
		...{ chainId: outChainId, transactionHash: outHash, currency: outCurrency },
		transactionHashes: arrivalsOf(bridge),
		...{ amountRaw: arrivedRaw === null ? null : String(arrivedRaw) },
		verified: isVerified === true,
	};
}

/** Who says that it arrived, where no node of ours does. */
const SAID_BY = {
	operator: "so says an operator, as no node can say which transaction paid it",
	provider: "so says the provider's own node, and none of ours yet",
};

/** Says where the money is, in one sentence that is true until the next lookup. */
export function whereIs(bridge: Bridge): string {
	const { status, route, errorCode, isVerified } = bridge;
	const from = route?.origin.chain ?? "its chain";
	const to = route?.destination.chain ?? "the other chain";
	const by = isVerified ? "" : `: ${SAID_BY[isProven(bridge) ? "operator" : "provider"]}`;
	const { depositedAt, depositOf } = bridge;
	const unless = unlessSigned(bridge);
	const deposited = `It was deposited ${depositOf === null ? "" : "once more "}on ${from}`;
	switch (status) {
		case "created":
		case "quoted":
		case "executing":
			return `It is in your wallet on ${from}; nothing was deposited yet.`;
		case "confirmation_required":
		case "signature_required":
			return `It is in your wallet on ${from}, and waits for you.`;
		case "rejected":
		case "disabled":
			return errorCode === "cancelled" && bridge.failedAt !== null
				? `You called it off; it is in your wallet on ${from}${unless}.`
				: `It stayed in your wallet${unless}: ${errorCode ?? status}.`;
		case "pending":
			return errorCode === "claim_unproven"
				? `${deposited}; the provider says that it is done, and no chain shows it yet.`
				: `${deposited} and is on its way${depositOf === null ? ` to ${to}` : ", or back"}.`;
		case "success":
			return `It arrived on ${to}${by}.`;
		case "refund":
			return `It came back${by}.`;
		case "failure":
			return depositedAt === null && errorCode !== "closed_by_operator"
				? `It is in your wallet on ${from}${unless}; it was not deposited (${errorCode ?? "failed"}).`
				: `The bridge failed; it is with the provider, and ${lookedFor(bridge, "a refund is")}.`;
		case "timed_out":
			return `${deposited} and did not arrive in time${foundOf(bridge)}; ${lookedFor(bridge, "it is")}.`;
		default:
			return `${doubtOf(bridge)}: do not send it again.`;
	}
}

/**
 * Returns a sentence that the owner's wallet may have sent without a report; empty: it was not
 * asked.
 */
function unlessSigned({ failedAt, depositHash }: Bridge): string {
	return failedAt !== null && depositHash === null ? ", unless you signed it all the same" : "";
}

/** Says that it is looked for, or since when it is not. */
function lookedFor({ lookAt, stoppedAt }: Bridge, what: string): string {
	if (lookAt !== null || stoppedAt === null) return `${what} still looked for`;
	return `nobody has looked for it since ${stoppedAt.toISOString().slice(0, 10)}: ask us to look`;
}

/** Says what is not known, how much of it was found, and whether it is looked for. */
function doubtOf(bridge: Bridge): string {
	const what = `(${bridge.errorCode ?? "unknown"})${foundOf(bridge)}`;
	if (bridge.lookAt !== null) return `It is being looked up ${what}`;
	return `Where it is is not known ${what}; ${lookedFor(bridge, "it is")}`;
}

/** Returns a clause that says how much arrived on which chain; empty: nothing is known to have. */
function foundOf({ arrivedRaw, outChainId, outCurrency, route }: Bridge): string {
	const places = route ? [route.origin, route.destination] : [];
	const place = places.find(
		({ chainId, currency }) => chainId === outChainId && currency === outCurrency,
	);
	if (!place || arrivedRaw === null || arrivedRaw === 0n) return "";
	const whole = formatAmount({ units: arrivedRaw, currency: place });
	return `; ${whole} ${place.symbol} of it arrived on ${place.chain}`;
}
