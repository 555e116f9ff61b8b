// Declares the agent's tools and commands about bridges.

import { z } from "zod";
import { formatAmount } from "#core/money.ts";
import { type AnyTool, type Command, defineTool, type SlotValues } from "#core/plugin/Tool.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import type { BridgeStatus } from "#plugins/bridge/bridgeStates.ts";
import { ALL, bridgeFields, requestOf } from "#plugins/bridge/bridges/bridgeBody.ts";
import type { Bridges } from "#plugins/bridge/bridges/createBridges.ts";
import { quoteBridge } from "#plugins/bridge/bridges/quoteBridge.ts";
import { type BridgeView, bridgeSchema } from "#plugins/bridge/bridges/renderBridge.ts";
import { readRouteRules, resolveRoute } from "#plugins/bridge/bridges/resolveRoute.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { channelOf, TOOL_ROUTE } from "#plugins/wallets/contract.ts";

type BridgeToolDeps = { context: BridgeContext; bridges: Bridges };

const SHARED = { capability: "bridging" } as const;
const LISTED = 10;
const LINE_CHAINS = 8;
const SUMS_LENGTH_MAX = 100;
/** Statuses of money that is on its way, or may be. */
const UNFINISHED: readonly BridgeStatus[] = ["executing", "pending", "uncertain", "timed_out"];

const { amount, currency, from, to, as, recipient, refundTo, mode } = bridgeFields;
const input = z.strictObject({
	...{ amount, currency, from: from.optional(), to: to.optional(), as: as.optional() },
	...{ recipient: recipient.optional(), refundTo: refundTo.optional(), mode: mode.optional() },
});
const quoted = z.object({
	...{ amount: z.string(), symbol: z.string(), from: z.string(), to: z.string() },
	...{ expectedOut: z.string(), minimumOut: z.string(), outSymbol: z.string() },
	...{
		impactPercent: z.string().nullable(),
		estimateSeconds: z.number().nullable(),
		asOfMs: z.number(),
	},
});

/** Returns the agent's tools: they bridge at once for an author's own words, else by a link. */
export function bridgeTools(deps: BridgeToolDeps): AnyTool[] {
	return [
		chainsTool(deps),
		quoteTool(deps),
		bridgeTool(deps, "execute"),
		bridgeTool(deps, "prepare"),
		listTool(deps),
		readTool(deps),
	];
}

function chainsTool({ context }: BridgeToolDeps): AnyTool {
	return defineTool({
		...{ ...SHARED, name: "list_bridge_chains", title: "Chains that bridges lead to" },
		description: "Returns the EVM chains that the bridge provider serves now.",
		...{ effect: "read", access: "everybody", input: z.strictObject({}) },
		output: z.object({ chains: z.array(z.string()) }),
		async run(_, { signal }) {
			const chains = await context.directory.knownChains({ purpose: "view", signal });
			const open = chains.filter((one) => one.isEvm && !one.isDisabled && !one.isLagging);
			const names = open.map(({ id, name }) => context.core.chains.byId(id)?.slug ?? name);
			return { kind: "done", output: { chains: names } };
		},
		line({ chains }) {
			const shown = chains.slice(0, LINE_CHAINS).join(", ");
			const more = chains.length > LINE_CHAINS ? ` and ${chains.length - LINE_CHAINS} more` : "";
			return chains.length === 0 ? "No chain can be bridged to now." : `Bridges: ${shown}${more}.`;
		},
		asOfMs: () => null,
	});
}

function quoteTool({ context }: BridgeToolDeps): AnyTool {
	return defineTool({
		...{ ...SHARED, name: "quote_bridge", title: "Quote a bridge", effect: "read" },
		description: "Returns what would arrive on the other chain. Nothing is recorded or sent.",
		...{ access: "profile", input, output: quoted },
		async run(asked, { caller, signal }) {
			const { profile } = await context.wallets.principalOf(caller);
			const wallet =
				profile.wallets.find(({ id }) => id === profile.canonicalWalletId) ?? profile.wallets[0];
			if (!wallet) throw bridgeFault.quoteMissing({ public: "Your profile has no wallet." });
			const options = { purpose: "view", signal } as const;
			const request = requestOf(asked);
			const rules = await readRouteRules(context.core.db, profile.id);
			const found = await resolveRoute(context, { request, wallet, rules, options });
			if (found.kind === "bad") throw refusal(found.denial);
			const { route } = found.resolved;
			const offered = await quoteBridge(context, found.resolved, options);
			if (offered.kind === "bad") throw refusal(offered.denial);
			const { quote, told } = offered;
			const whole = (units: bigint) => formatAmount({ units, currency: route.destination });
			return {
				kind: "done",
				output: {
					amount: formatAmount({ units: route.amountRaw, currency: route.origin }),
					...{ symbol: route.origin.symbol, from: route.origin.chain },
					...{ to: route.destination.chain, outSymbol: route.destination.symbol },
					...{ expectedOut: whole(quote.expectedOutRaw), minimumOut: whole(quote.minimumOutRaw) },
					...{ impactPercent: told.impactPercent, estimateSeconds: told.estimateSeconds },
					asOfMs: context.core.clock.nowMs(),
				},
			};
		},
		line(one) {
			const { amount: given, symbol, from: origin, to: there, expectedOut, outSymbol } = one;
			return (
				`${given} ${symbol} on ${origin} gives about ${expectedOut} ${outSymbol} on ${there}, ` +
				`at least ${one.minimumOut}.`
			);
		},
		asOfMs: ({ asOfMs }) => asOfMs,
	});
}

function refusal({ code, detail }: { code: string; detail: string }) {
	return bridgeFault.bridgeState({ public: detail, members: { errorCode: code } });
}

function bridgeTool({ context, bridges }: BridgeToolDeps, effect: "prepare" | "execute"): AnyTool {
	const isPrepared = effect === "prepare";
	const name = isPrepared ? "prepare_bridge" : "bridge";
	return defineTool({
		...{ ...SHARED, name, title: isPrepared ? "Prepare a bridge" : "Bridge money" },
		description: isPrepared
			? "Quotes a bridge to another chain and returns the link by which you say yes. Nothing is sent " +
				"before that."
			: "Sends money from your wallet to another chain, within your limits and for at least what was " +
				"quoted.",
		...{ effect, access: "profile", input, output: bridgeSchema },
		async run(asked, { caller, idempotencyKey }) {
			const principal = await context.wallets.principalOf(caller);
			const response = await bridges.create({
				...{ principal, request: requestOf(asked), idempotencyKey, tool: name },
				...{ route: TOOL_ROUTE, channel: channelOf(caller), asks: isPrepared },
			});
			return { kind: "done", output: bridgeSchema.parse(await response.json()) };
		},
		line: sentenceOf,
		asOfMs: () => null,
		links: ({ confirmUrl, signUrl }) => [
			...(confirmUrl === null ? [] : [{ rel: "confirm" as const, url: confirmUrl }]),
			...(signUrl === null ? [] : [{ rel: "sign" as const, url: signUrl }]),
		],
	});
}

function listTool({ context, bridges }: BridgeToolDeps): AnyTool {
	return defineTool({
		...{ ...SHARED, name: "list_bridges", title: "Where your money is", effect: "read" },
		description:
			"Returns your unfinished bridges, then the newest, and where the money of each is.",
		...{ access: "profile", input: z.strictObject({}) },
		output: z.object({ bridges: z.array(bridgeSchema) }),
		async run(_, { caller }) {
			const { profile } = await context.wallets.principalOf(caller);
			const items = await bridges.listUnfinishedFirst(profile.id, LISTED);
			return { kind: "done", output: { bridges: items } };
		},
		line({ bridges: found }) {
			const [first] = found;
			if (!first) return "You have no bridges yet.";
			const open = found.filter(({ status }) => UNFINISHED.includes(status));
			// Ids grow with time.
			const newest = found.reduce((one, other) => (other.id > one.id ? other : one), first);
			const sums = open.length > 1 || (open.length === 1 && newest !== open[0]);
			return sums ? `${sumsOf(open)} The newest: ${newest.where}`.slice(0, 160) : sentenceOf(first);
		},
		asOfMs: () => null,
	});
}

function readTool({ context, bridges }: BridgeToolDeps): AnyTool {
	return defineTool({
		...{ ...SHARED, name: "read_bridge", title: "One of your bridges", effect: "read" },
		description: "Returns one of your bridges by its id, and where its money is.",
		access: "profile",
		input: z.strictObject({ id: z.uuid().meta({ description: "A bridge's id." }) }),
		output: bridgeSchema,
		async run({ id }, { caller }) {
			const { profile } = await context.wallets.principalOf(caller);
			return { kind: "done", output: await bridges.view(profile.id, id.toLowerCase()) };
		},
		line: sentenceOf,
		asOfMs: () => null,
	});
}

/** Returns how much of which currency is on its way. */
function sumsOf(open: readonly BridgeView[]): string {
	const sums = new Map<string, { units: bigint; currency: { symbol: string; decimals: number } }>();
	for (const { origin, amountRaw } of open) {
		if (!origin || amountRaw === null) continue;
		const key = `${origin.chainId} ${origin.currency}`;
		const units = (sums.get(key)?.units ?? 0n) + BigInt(amountRaw);
		sums.set(key, { units, currency: origin });
	}
	const shown = [...sums.values()].map(({ units, currency }) => {
		return `${formatAmount({ units, currency })} ${currency.symbol}`;
	});
	const bridges = open.length === 1 ? "1 bridge is" : `${open.length} bridges are`;
	return `${bridges} not finished: ${shown.join(", ")}.`.slice(0, SUMS_LENGTH_MAX);
}

/** Returns how much of what, and where it is, in at most 160 characters. */
function sentenceOf({ amount: given, amountRaw, origin, where }: BridgeView): string {
	const exact =
		origin && amountRaw !== null
			? formatAmount({ units: BigInt(amountRaw), currency: origin })
			: given;
	const what = origin ? `${exact} ${origin.symbol}` : given;
	return `${what.slice(0, 40)}: ${where}`.slice(0, 160);
}

const chain = { kind: "chain" } as const;
const asset = { kind: "asset" } as const;
const address = { kind: "address" } as const;
const bridgeSlots = {
	...({ amount: { kind: "amount" }, whole: { kind: "word", of: [ALL] } } as const),
	...{ currency: asset, from: chain, to: chain, as: asset },
	mode: { kind: "word", of: ["normal", "direct", "degen_2_stable"] },
} as const;

/** `all` is an amount as others are. */
function bridgeInput({ whole, ...values }: SlotValues): unknown {
	return whole === undefined ? values : { ...values, amount: whole };
}

/** Commands that people type about bridges. */
export const bridgeCommands: readonly Command[] = [
	{
		name: "bridge",
		forms: [
			"bridge ({amount}|{whole}) {currency} [from {from}] (to {to} [as {as}] " +
				"[recipient {recipient}] [refund to {refundTo}] [mode {mode}]|mode {mode})",
		],
		slots: { ...bridgeSlots, recipient: address, refundTo: address },
		input: bridgeInput,
		...{ tool: "bridge", prepares: "prepare_bridge" },
		summary: "sends money from your wallet to another chain",
		examples: [
			"bridge 0.5 eth from base to robinhood as usdg",
			"bridge all usdg from robinhood to base mode direct",
		],
	},
	{
		name: "bridge_quote",
		forms: [
			"quote bridge ({amount}|{whole}) {currency} [from {from}] " +
				"(to {to} [as {as}] [mode {mode}]|mode {mode})",
		],
		slots: bridgeSlots,
		input: bridgeInput,
		tool: "quote_bridge",
		summary: "what would arrive on another chain",
		examples: ["quote bridge 0.5 eth from base to robinhood as usdg"],
	},
	{
		name: "my_bridges",
		forms: ["my bridges", "where is my money", "bridges"],
		...{ slots: {}, tool: "list_bridges" },
		topic: {
			words: "my bridge, my bridges, my … bridge, my bridged".split(", "),
			over: ["my_balances", "my_intents"],
		},
		summary: "your bridges, and where their money is",
		examples: ["where is my money"],
	},
	{
		name: "show_bridge",
		forms: ["show bridge {id}", "(read|where is) bridge {id}"],
		...{ slots: { id: { kind: "id" } }, tool: "read_bridge" },
		summary: "one of your bridges, and where its money is",
		examples: ["show bridge 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
	{
		name: "bridge_chains",
		forms: ["bridge chains"],
		...{ slots: {}, tool: "list_bridge_chains" },
		summary: "chains that bridges lead to",
		examples: ["bridge chains"],
	},
];
