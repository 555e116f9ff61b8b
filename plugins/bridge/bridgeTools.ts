// Declares the agent's tools and commands about bridges.

import { z } from "zod";
import { formatAmount } from "#core/money.ts";
import {
	type AnyTool,
	type Command,
	defineTool,
	type Order,
	type SlotValues,
} from "#core/plugin/Tool.ts";
import { DAY_MS } from "#core/time.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { ALL, bridgeFields, requestOf } from "#plugins/bridge/bridges/bridgeBody.ts";
import type { Bridges } from "#plugins/bridge/bridges/createBridges.ts";
import { quoteBridge } from "#plugins/bridge/bridges/quoteBridge.ts";
import { type BridgeView, bridgeSchema, moveSchema } from "#plugins/bridge/bridges/renderBridge.ts";
import { readRouteRules, resolveRoute } from "#plugins/bridge/bridges/resolveRoute.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { channelOf, TOOL_ROUTE } from "#plugins/wallets/contract.ts";

type BridgeToolDeps = { context: BridgeContext; bridges: Bridges };

const SHARED = { capability: "bridging" } as const;
const LISTED = 10;
const LINE_CHAINS = 8;
const LINE_LENGTH_MAX = 160;
const SUMS_LENGTH_MAX = 100;
/** Statuses that no other follows. */
const ENDED: readonly BridgeView["status"][] = ["success", "refund", "rejected", "disabled"];

const { amount, currency, from, to, as, recipient, refundTo, mode } = bridgeFields;
const input = z.strictObject({
	...{ amount, currency, from: from.optional(), to: to.optional(), as: as.optional() },
	...{ recipient: recipient.optional(), refundTo: refundTo.optional(), mode: mode.optional() },
});
const idInput = z.strictObject({ id: z.uuid().meta({ description: "A bridge's id." }) });
const sumSchema = z.object({
	...{ bridges: z.number(), amount: z.string(), amountRaw: z.string() },
	...{ symbol: z.string(), chain: z.string() },
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
		movesTool(deps),
		cancelTool(deps),
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
		order: orderOf({ context, bridges }),
		links: ({ confirmUrl, signUrl }) => [
			...(confirmUrl === null ? [] : [{ rel: "confirm" as const, url: confirmUrl }]),
			...(signUrl === null ? [] : [{ rel: "sign" as const, url: signUrl }]),
		],
	});
}

/** Returns how a tool that begins or cancels a bridge is followed. */
function orderOf({ context, bridges }: BridgeToolDeps): Order<BridgeView> {
	return {
		idOf: ({ id }) => id,
		async read(id, { caller }) {
			const { profile } = await context.wallets.principalOf(caller);
			return await bridges.view(profile.id, id);
		},
		end: (one) => endOf(one, context.core.clock.nowMs()),
	};
}

/** Returns what ended a bridge; null while its money may still move. */
function endOf(
	{ status, changedAt, arrived, depositHash }: BridgeView,
	nowMs: number,
): { transaction: string | null } | null {
	// `failure` may become a success or a refund for a day.
	const isOld = status === "failure" && nowMs - Date.parse(changedAt) > DAY_MS;
	if (!isOld && !ENDED.includes(status)) return null;
	return { transaction: arrived?.transactionHash ?? depositHash };
}

function listTool({ context, bridges }: BridgeToolDeps): AnyTool {
	return defineTool({
		...{ ...SHARED, name: "list_bridges", title: "Where your money is", effect: "read" },
		description:
			"Returns your unfinished bridges, then the newest, and where the money of each is.",
		...{ access: "profile", input: z.strictObject({}) },
		output: z.object({
			unfinished: z.array(sumSchema).meta({ description: "What all of them carry, by currency." }),
			bridges: z.array(bridgeSchema),
		}),
		async run(_, { caller }) {
			const { profile } = await context.wallets.principalOf(caller);
			const [items, sums] = await Promise.all([
				bridges.listUnfinishedFirst(profile.id, LISTED),
				bridges.sums(profile.id),
			]);
			const unfinished = sums.map(({ raw, count, ...currency }) => ({
				...{ bridges: count, amount: formatAmount({ units: raw, currency }) },
				...{ amountRaw: String(raw), symbol: currency.symbol, chain: currency.chain },
			}));
			return { kind: "done", output: { unfinished, bridges: items } };
		},
		line({ unfinished, bridges: found }) {
			const [first] = found;
			if (!first) return "You have no bridges yet.";
			// Ids grow with time.
			const newest = found.reduce((one, other) => (other.id > one.id ? other : one), first);
			const [only, ...more] = unfinished;
			const isOne = only?.bridges === 1 && more.length === 0 && newest === first;
			if (!only || isOne) return sentenceOf(first);
			return shortened(`${sumsOf(unfinished)} The newest: ${newest.where}`);
		},
		asOfMs: () => null,
	});
}

function readTool({ context, bridges }: BridgeToolDeps): AnyTool {
	return defineTool({
		...{ ...SHARED, name: "read_bridge", title: "One of your bridges", effect: "read" },
		description: "Returns one of your bridges by its id, and where its money is.",
		...{ access: "profile", input: idInput },
		output: bridgeSchema,
		async run({ id }, { caller }) {
			const { profile } = await context.wallets.principalOf(caller);
			return { kind: "done", output: await bridges.view(profile.id, id.toLowerCase()) };
		},
		line: sentenceOf,
		asOfMs: () => null,
	});
}

function movesTool({ context, bridges }: BridgeToolDeps): AnyTool {
	return defineTool({
		...{ ...SHARED, name: "read_bridge_moves", title: "What happened to a bridge", effect: "read" },
		description:
			"Returns the timeline of one of your bridges: each change, both transactions, the provider's " +
			"words, and whose node showed it.",
		...{ access: "profile", input: idInput },
		output: z.object({ bridge: bridgeSchema, moves: z.array(moveSchema) }),
		async run({ id }, { caller }) {
			const { profile } = await context.wallets.principalOf(caller);
			const [bridge, moves] = await Promise.all([
				bridges.view(profile.id, id.toLowerCase()),
				bridges.moves(profile.id, id.toLowerCase()),
			]);
			return { kind: "done", output: { bridge, moves } };
		},
		line({ bridge, moves }) {
			const told = moves.filter(({ event }) => event !== "word").map(({ to }) => to);
			const path = told.length === 0 ? "Nothing happened to it yet." : `${told.join(" > ")}.`;
			return shortened(`${path} ${bridge.where}`);
		},
		asOfMs: () => null,
	});
}

function cancelTool({ context, bridges }: BridgeToolDeps): AnyTool {
	return defineTool({
		...{ ...SHARED, name: "cancel_bridge", title: "Call a bridge off", effect: "execute" },
		description: "Calls one of your bridges off, as long as its deposit was not sent.",
		...{ access: "profile", input: idInput, output: bridgeSchema },
		async run({ id }, { caller }) {
			const { profile } = await context.wallets.principalOf(caller);
			return { kind: "done", output: await bridges.cancel(profile.id, id.toLowerCase()) };
		},
		line: sentenceOf,
		asOfMs: () => null,
		order: orderOf({ context, bridges }),
	});
}

/** Returns how much of which currency is on its way: whole figures, and how many are left out. */
function sumsOf(sums: readonly z.output<typeof sumSchema>[]): string {
	const count = sums.reduce((all, { bridges }) => all + bridges, 0);
	const start = `${count === 1 ? "1 bridge is" : `${count} bridges are`} not finished:`;
	const texts = sums.map(({ amount, symbol, chain }) => `${amount} ${symbol} from ${chain}`);
	for (let shown = texts.length; shown > 0; shown--) {
		const more = shown < texts.length ? ` and ${texts.length - shown} more currencies` : "";
		const text = `${start} ${texts.slice(0, shown).join(", ")}${more}.`;
		if (text.length <= SUMS_LENGTH_MAX || shown === 1) return text;
	}
	return start;
}

/** Cuts a line between two words: a figure that is cut in half is another figure. */
function shortened(line: string): string {
	if (line.length <= LINE_LENGTH_MAX) return line;
	const cut = line.slice(0, LINE_LENGTH_MAX - 1);
	return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), 0))}…`;
}

/** Returns how much of what, and where it is, in at most 160 characters. */
function sentenceOf({ amount: given, amountRaw, origin, where }: BridgeView): string {
	const exact =
		origin && amountRaw !== null
			? formatAmount({ units: BigInt(amountRaw), currency: origin })
			: given;
	const what = origin ? `${exact} ${origin.symbol}` : given.slice(0, 40);
	return shortened(`${what}: ${where}`);
}

const chain = { kind: "chain" } as const;
const asset = { kind: "asset" } as const;
const address = { kind: "address" } as const;
const bridgeSlots = {
	...({ amount: { kind: "amount" }, whole: { kind: "word", of: [ALL] } } as const),
	...{ currency: asset, from: chain, to: chain, as: asset },
	mode: { kind: "word", of: ["normal", "direct", "degen_2_stable"] },
} as const;

/** Builds the input of a bridge; `all` is an amount like others. */
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
		name: "bridge_moves",
		forms: ["bridge moves {id}", "(timeline|history) of bridge {id}"],
		...{ slots: { id: { kind: "id" } }, tool: "read_bridge_moves" },
		summary: "what happened to one of your bridges, step by step",
		examples: ["bridge moves 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
	{
		name: "cancel_bridge",
		forms: ["cancel bridge {id}"],
		...{ slots: { id: { kind: "id" } }, tool: "cancel_bridge" },
		summary: "calls off one of your bridges that was not sent",
		examples: ["cancel bridge 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
	{
		name: "bridge_chains",
		forms: ["bridge chains"],
		...{ slots: {}, tool: "list_bridge_chains" },
		summary: "chains that bridges lead to",
		examples: ["bridge chains"],
	},
];
