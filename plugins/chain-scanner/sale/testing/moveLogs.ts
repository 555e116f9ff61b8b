import { encodeAbiParameters, type Hex, numberToHex, padHex } from "viem";
import {
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
} from "#plugins/chain-scanner/mint/decodeMints.ts";

type Moved = { address: Hex; from: Hex; to: Hex };

const word = (address: Hex) => padHex(address, { size: 32 });

/** Logs of tokens that moved, as the standards write them. */
export const moveLogs = {
	erc721: ({ address, from, to, tokenId }: Moved & { tokenId: bigint }) => ({
		address,
		topics: [TRANSFER_TOPIC, word(from), word(to), numberToHex(tokenId, { size: 32 })],
		data: "0x" as Hex,
	}),
	single: ({
		address,
		from,
		to,
		tokenId,
		units = 1n,
	}: Moved & { tokenId: bigint; units?: bigint }) => ({
		address,
		topics: [TRANSFER_SINGLE_TOPIC, word(from), word(from), word(to)],
		data: encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [tokenId, units]),
	}),
	batch: ({ address, from, to, ids, units }: Moved & { ids: bigint[]; units: bigint[] }) => ({
		address,
		topics: [TRANSFER_BATCH_TOPIC, word(from), word(from), word(to)],
		data: encodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], [ids, units]),
	}),
	/** Makes a transfer with no indexed field: all is in the data, as CryptoKitties does it. */
	bare: ({ address, from, to, tokenId }: Moved & { tokenId: bigint }) => ({
		address,
		topics: [TRANSFER_TOPIC],
		data: encodeAbiParameters(
			[{ type: "address" }, { type: "address" }, { type: "uint256" }],
			[from, to, tokenId],
		),
	}),
	coin: ({ address, from, to, amount }: Moved & { amount: bigint }) => ({
		address,
		topics: [TRANSFER_TOPIC, word(from), word(to)],
		data: numberToHex(amount, { size: 32 }),
	}),
};
