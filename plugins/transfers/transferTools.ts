// Makes the agent's tools and commands that send ETH.

import { z } from "zod";
import { type AnyTool, type Command, defineTool } from "#core/plugin/Tool.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import {
	ownTransfer,
	sendTransfers,
	type TransfersContext,
} from "#plugins/transfers/sendTransfers.ts";
import { ADDRESS_LENGTH_MAX, AMOUNT_LENGTH_MAX } from "#plugins/transfers/transferKind.ts";
import {
	createdTransfersSchema,
	renderTransfer,
	transferSchema,
} from "#plugins/transfers/transferSchema.ts";
import {
	channelOf,
	endOfIntent,
	intentSentence,
	type Profile,
	TOOL_ROUTE,
} from "#plugins/wallets/contract.ts";

const inputSchema = z.strictObject({
	amount: z
		.string()
		.max(AMOUNT_LENGTH_MAX)
		.meta({ description: "In ETH, a plain decimal.", examples: ["0.05"] }),
	to: z.string().max(ADDRESS_LENGTH_MAX).meta({ description: "The address that gets it." }),
	chain: z
		.string()
		.max(64)
		.optional()
		.meta({ description: "By slug or id; the one where the wallet was linked unless given." }),
	fromWalletId: z
		.string()
		.max(64)
		.optional()
		.meta({ description: "Which of your wallets it leaves; the canonical one unless given." }),
});

/**
 * Returns the agent's tools that send ETH: at once for an author's own words, by a link for all
 * else.
 */
export function transferTools(context: TransfersContext): AnyTool[] {
	return [sendTool(context, "execute"), sendTool(context, "prepare")];
}

export const transferCommands: readonly Command[] = [
	{
		name: "send",
		forms: [
			"send {amount} {coin} to {to} [on {chain}]",
			"transfer {amount} {coin} to {to} [on {chain}]",
		],
		slots: {
			amount: { kind: "amount" },
			// A slot, not a word of the form: a model must quote the coin from the author's text.
			coin: { kind: "word", of: ["eth"] },
			to: { kind: "address" },
			chain: { kind: "chain" },
		},
		tool: "send_eth",
		prepares: "prepare_send_eth",
		input: ({ coin: _, ...values }) => values,
		summary: "sends ETH from your wallet",
		examples: ["send 0.05 eth to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],
	},
];

function sendTool(context: TransfersContext, effect: "prepare" | "execute"): AnyTool {
	const { wallets } = context;
	const isPrepared = effect === "prepare";
	const name = isPrepared ? "prepare_send_eth" : "send_eth";
	return defineTool({
		name,
		title: isPrepared ? "Prepare a transfer" : "Send ETH",
		description: isPrepared
			? "Prepares a transfer of ETH from your wallet and returns the link by which you say yes. " +
				"Nothing is sent before that."
			: "Sends ETH from your wallet, within your limits. Where it must not go at once, the answer " +
				"has the link by which you say yes or sign.",
		capability: "transfers",
		effect,
		access: "profile",
		input: inputSchema,
		output: transferSchema,
		async run({ amount, to, chain, fromWalletId }, { caller, idempotencyKey }) {
			const principal = await wallets.principalOf(caller);
			const body = {
				fromWalletId: fromWalletId ?? walletOf(principal.profile),
				recipients: [to],
				amount,
				chain,
			};
			const asked = { principal, body, idempotencyKey, channel: channelOf(caller) };
			const response = await sendTransfers(context, {
				...asked,
				route: TOOL_ROUTE,
				tool: name,
				asks: isPrepared,
			});
			const [output] = createdTransfersSchema.parse(await response.json()).transfers;
			if (!output) throw transfersFault.notFound();
			return { kind: "done", output };
		},
		line({ amount, currency, recipient, chain, status, errorCode, error }) {
			const to = `${recipient.slice(0, 6)}…${recipient.slice(-4)}`;
			const stands = intentSentence(status, errorCode, error);
			return `${amount} ${currency} to ${to} on ${chain} ${stands}.`;
		},
		asOfMs: () => null,
		links: ({ confirmUrl, signUrl }) => [
			...(confirmUrl === null ? [] : [{ rel: "confirm" as const, url: confirmUrl }]),
			...(signUrl === null ? [] : [{ rel: "sign" as const, url: signUrl }]),
		],
		order: {
			idOf: ({ id }) => id,
			async read(id, { caller }) {
				const { profile } = await wallets.principalOf(caller);
				const intent = await ownTransfer(wallets, { id, profileId: profile.id });
				return renderTransfer(intent, { profile, chainOf: context.chains.byId });
			},
			end: (one) => endOfIntent(one),
		},
	});
}

/** Returns the wallet for commands that name none. */
function walletOf({ canonicalWalletId, wallets }: Profile): string {
	return canonicalWalletId ?? wallets[0]?.id ?? "";
}
