// Reads a request for a bridge, and applies the rules of the channel that it came through.

import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import { invalidBridge } from "#plugins/bridge/faults.ts";
import {
	ADDRESS_LENGTH_MAX,
	AMOUNT_LENGTH_MAX,
	COMMAND_LENGTH_MAX,
	NAME_LENGTH_MAX,
} from "#plugins/bridge/limits.ts";
import type { BridgeRequest } from "#plugins/bridge/sql/bridges.ts";
import type { Channel, Denial } from "#plugins/wallets/contract.ts";

/** Holds the two switches of operators: bridging at all, and bridging by posts and messages. */
type Switches = { isOn: boolean; isSocialOn: boolean };

const name = (description: string, example: string) =>
	z
		.string()
		.min(1)
		.max(NAME_LENGTH_MAX)
		.meta({ pattern: "^.+$", description, examples: [example] });
const address = (description: string) =>
	z
		.string()
		.max(ADDRESS_LENGTH_MAX)
		.meta({
			pattern: ANY_CASE_ADDRESS_PATTERN,
			description,
			examples: ["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],
		});

/** Members of a bridge's body, for the route and for tools alike. */
export const bridgeFields = {
	amount: z
		.string()
		.max(AMOUNT_LENGTH_MAX)
		.meta({
			description:
				"How much is paid in: a plain decimal in whole units of `currency`, exact; or `all` that the " +
				"wallet holds of it, of a chain's coin less what the deposit may cost.",
			examples: ["0.5"],
		}),
	currency: name("What is paid in: a symbol that is unique on its chain, or an address.", "ETH"),
	from: name(
		"Where it leaves: a slug, another spelling or an id; `robinhood` unless given.",
		"base",
	),
	to: name("Where it arrives.", "robinhood"),
	as: name("What arrives: a symbol or an address; the same symbol unless given.", "USDG"),
	recipient: address("Who gets it; else your preference for that chain, else your wallet."),
	refundTo: address("Who gets it back; else your preference for that chain, else your wallet."),
	mode: z.enum(["normal", "degen_2_stable", "direct"]).meta({
		description:
			"`degen_2_stable` ends at chain 988 in its stablecoin, whatever `to` and `as` say. `direct` " +
			"sends a token by its own LayerZero contracts, which have to name each other on chain.",
	}),
};

const { amount, currency, from, to, as, recipient, refundTo, mode } = bridgeFields;

// Strict: a misspelled recipient that is dropped in silence would pay somebody else.
export const bridgeBody = z
	.strictObject({
		command: z
			.string()
			.max(COMMAND_LENGTH_MAX)
			.optional()
			.meta({
				description: "The whole bridge in words, instead of all other members.",
				examples: ["bridge 0.5 eth from base to robinhood as USDG"],
			}),
		amount: amount.optional(),
		currency: currency.optional(),
		from: from.optional(),
		to: to.optional(),
		as: as.optional(),
		recipient: recipient.optional(),
		refundTo: refundTo.optional(),
		mode: mode.optional(),
	})
	.meta({ id: "BridgeRequest", description: "What to bridge: a command, or its parts." });

type BridgeBody = z.output<typeof bridgeBody>;

const BRIDGE_FORM =
	"`bridge <amount or all> <currency> [from <chain>] to <chain> [as <currency>] " +
	"[recipient <address>] [refund to <address>] [mode <normal, direct or degen_2_stable>]`, " +
	"without `to <chain>` in the mode degen_2_stable";

const WORD = "([^\\s]+)";
const COMMAND = new RegExp(
	`^bridge ${WORD} ${WORD}(?: from ${WORD})?(?: to ${WORD})?(?: as ${WORD})?` +
		`(?: recipient ${WORD})?(?: refund to ${WORD})?(?: mode ${WORD})?$`,
	"i",
);

/** The amount that is all that the wallet holds. */
export const ALL = "all";

/** Reads a body as what was asked for. Throws a Fault for one that asks for nothing. */
export function requestOf({ command, ...parts }: BridgeBody): BridgeRequest {
	if (command !== undefined) {
		if (Object.values(parts).some((part) => part !== undefined)) {
			throw invalidBridge("command", "stands alone, without other members");
		}
		const read = readBridgeCommand(command);
		if (!read) throw invalidBridge("command", `is not of the form ${BRIDGE_FORM}`);
		return read;
	}
	const { amount: typed, currency, mode = "normal" } = parts;
	const amount = typed?.toLowerCase() === ALL ? ALL : typed;
	if (amount === undefined) throw invalidBridge("amount", "is needed");
	if (currency === undefined) throw invalidBridge("currency", "is needed");
	if (parts.to === undefined && mode !== "degen_2_stable") throw invalidBridge("to", "is needed");
	return {
		...{ amount, currency, mode, from: parts.from ?? null, to: parts.to ?? null },
		...{ as: parts.as ?? null, recipient: parts.recipient ?? null },
		refundTo: parts.refundTo ?? null,
	};
}

/** Reads the strict command; null where a text is not one, to the letter. */
export function readBridgeCommand(text: string): BridgeRequest | null {
	const match = COMMAND.exec(text.trim().replace(/\s+/g, " "));
	const [, typed, currency, from = null, to = null, as = null, ...rest] = match ?? [];
	const [recipient = null, refundTo = null, word = "normal"] = rest;
	const { data: read } = mode.safeParse(word.toLowerCase());
	if (typed === undefined || currency === undefined || read === undefined) return null;
	if (to === null && read !== "degen_2_stable") return null;
	const amount = typed.toLowerCase() === ALL ? ALL : typed;
	return { amount, currency, from, to, as, recipient, refundTo, mode: read };
}

/** Says why no step of a bridge may be sent, by the channel that it came through; null: it may. */
export function switchDenial({ isOn, isSocialOn }: Switches, channel: Channel): Denial | null {
	if (!isOn) {
		return { code: "bridging_disabled", detail: "Bridging is turned off here (ENABLE_BRIDGING)." };
	}
	if (channel !== "social" || isSocialOn) return null;
	return {
		code: "bridging_disabled",
		detail: "Bridging by posts and messages is turned off here (ENABLE_SOCIAL_BRIDGING).",
	};
}

/**
 * Returns whether the owner has to approve by a link, whatever their profile's settings are. The
 * author of a post may have been talked into it: on the social channel that is so for every bridge
 * that pays or refunds an address that is not a wallet of the profile.
 */
export function mustAsk(
	{ asks, channel }: { asks: boolean; channel: Channel },
	{ recipient, refundTo }: { recipient: Address; refundTo: Address },
	wallets: readonly { address: Address }[],
): boolean {
	const own = new Set(wallets.map(({ address }) => address));
	return asks || (channel === "social" && !(own.has(recipient) && own.has(refundTo)));
}
