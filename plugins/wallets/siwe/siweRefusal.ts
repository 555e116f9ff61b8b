// Judges a sign-in message: whether it is for us and for now, and who signed it.

import {
	encodeDeployData,
	encodeFunctionData,
	erc6492SignatureValidatorAbi,
	erc6492SignatureValidatorByteCode,
	hashMessage,
	hexToBigInt,
	numberToHex,
	parseAbi,
	recoverAddress,
	size,
	slice,
	toHex,
} from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { isOfOtherChain } from "#plugins/wallets/chain/readAccount.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import {
	CLOCK_SKEW_MS,
	NONCE_TTL_MS,
	SIGNATURE_CALL_GAS_MAX,
	SIGNATURE_CALL_TIMEOUT_MS,
	SIWE_LIFETIME_MAX_MS,
} from "#plugins/wallets/limits.ts";
import { readTimestamp, type SiweMessage } from "#plugins/wallets/siwe/parseSiweMessage.ts";

/** Holds what a sign-in message must contain to be accepted now. */
export type SiweExpectation = {
	/** Pages that may ask for a sign-in: `https://app.example`. */
	origins: readonly string[];
	chainIds: readonly number[];
	nowMs: number;
};

type Parts = { r: bigint; s: bigint; yParity: 0 | 1 };

type Signed = { hash: Hex; signature: Hex };

type Reason =
	| "siweDomain"
	| "siweUri"
	| "siweChain"
	| "siweNotYetValid"
	| "siweExpired"
	| "siweLifetime";

/** Order of secp256k1. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;
const HIGH_BIT = 1n << 255n;

const erc1271Abi = parseAbi([
	"function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
/**
 * The word that a contract returns if a signature is valid (ERC-1271): `isValidSignature.selector`.
 */
const MAGIC = `0x1626ba7e${"0".repeat(56)}`;
const WORD_LENGTH = 2 + 64;

/**
 * Returns why a message is not for this service, or not valid now; null: it is valid. Its nonce and
 * signature are checked elsewhere.
 *
 * Domain and URI are compared with whole origins: a signature that was given to another page must
 * be worth nothing here.
 */
export function siweRefusal(message: SiweMessage, expected: SiweExpectation): Fault | null {
	const asked = expected.origins.map((text) => new URL(text));
	const own = asked.filter(({ host, protocol }) => {
		const scheme = message.scheme ?? protocol.slice(0, -1);
		return host === message.domain && protocol === `${scheme}:`;
	});
	if (own.length === 0) {
		return refusal(
			"siweDomain",
			`This service signs in for ${names(asked.map((url) => url.host))}.`,
		);
	}
	if (!own.some(({ origin }) => origin === originOf(message.uri))) {
		return refusal("siweUri", "The URI is not on the domain that the message names.");
	}
	if (!expected.chainIds.includes(message.chainId)) {
		return refusal("siweChain", `Sign in with chain id ${names(expected.chainIds.map(String))}.`);
	}
	return timeRefusal(message, expected.nowMs);
}

/**
 * Says whether an address signed a text (EIP-191): by its key, or, where it is a contract, by
 * saying so (ERC-1271), also before it is deployed (ERC-6492).
 *
 * What keys sign is judged by `readSigner` alone. The validator of ERC-6492 recovers keys too,
 * where it finds no code, and would take a high `s` that was refused here: such a signature is
 * shown to the contract itself, which an address without code does not have.
 *
 * Not viem's `verifyHash`, which takes a node that is silent for a signature that is wrong, and
 * lets a stranger's contract burn what gas the node allows. Here silence throws `rpc_transport`,
 * and a node of another chain `chain_unavailable`.
 *
 * @param rpc null where the chain cannot be asked: then only keys sign.
 */
export async function isSignedBy(
	address: Address,
	{ text, signature, rpc }: { text: string; signature: Hex; rpc: Rpc | null },
): Promise<boolean> {
	const hash = hashMessage(text);
	if ((await readSigner(hash, signature)) === address) return true;
	if (!rpc) return false;
	const isKeys = (await readSigner(hash, signature, { anyForm: true })) === address;
	const asked = isKeys
		? { to: address, data: questionOf({ hash, signature }) }
		: { data: validatorOf(address, { hash, signature }) };
	try {
		const answer = await rpc.call(
			{
				method: "eth_call",
				params: [{ ...asked, gas: numberToHex(SIGNATURE_CALL_GAS_MAX) }, "latest"],
			},
			{ signal: AbortSignal.timeout(SIGNATURE_CALL_TIMEOUT_MS) },
		);
		return isKeys ? saysYes(answer) : answer === "0x01";
	} catch (error) {
		// The node ran it and it failed: a contract that reverts, or one that never ends.
		if (error instanceof Fault && error.code === "rpc_refused") return false;
		if (isOfOtherChain(error)) throw walletsFault.chainUnavailable({ cause: error });
		throw error;
	}
}

/**
 * Returns the address whose key made a signature, lower case; null: it is not one of a key's.
 *
 * Taken are 65 bytes (`v` 27 or 28, as some wallets 0 or 1) and the 64 of EIP-2098. Refused is a
 * high `s` (EIP-2): everybody can make it out of a good signature. To know whose it would be if it
 * were not, say `anyForm`.
 */
export async function readSigner(
	hash: Hex,
	signature: Hex,
	{ anyForm = false } = {},
): Promise<Hex | null> {
	const parts = partsOf(signature);
	if (!parts) return null;
	const { r, s, yParity } = parts;
	const highestS = anyForm ? ORDER - 1n : ORDER / 2n;
	if (r === 0n || r >= ORDER || s === 0n || s > highestS) return null;
	const sent = { r: toHex(r, { size: 32 }), s: toHex(s, { size: 32 }), yParity };
	try {
		const address = await recoverAddress({ hash, signature: sent });
		return `0x${address.slice(2).toLowerCase()}`;
	} catch {
		// An `r` that is no point of the curve: nobody signed that.
		return null;
	}
}

function refusal(reason: Reason, told: string): Fault {
	return walletsFault[reason]({ public: told });
}

function names(all: readonly string[]): string {
	return [...new Set(all)].join(" or ") || "no page";
}

/** Returns the origin of a URI; null where a user in it shows one name and leads to another. */
function originOf(uri: string): string | null {
	if (!URL.canParse(uri)) return null;
	const { origin, username, password } = new URL(uri);
	return username === "" && password === "" ? origin : null;
}

function timeRefusal(message: SiweMessage, nowMs: number): Fault | null {
	const issuedMs = readTimestamp(message.issuedAt) ?? Number.NaN;
	const expiresMs = timeOf(message.expirationTime, Number.POSITIVE_INFINITY);
	const notBeforeMs = timeOf(message.notBefore, Number.NEGATIVE_INFINITY);
	if (!(issuedMs <= nowMs + CLOCK_SKEW_MS)) {
		return refusal("siweNotYetValid", "The message is issued in the future.");
	}
	if (!(issuedMs >= nowMs - NONCE_TTL_MS - CLOCK_SKEW_MS)) {
		return refusal("siweExpired", "The message is too old: ask for a new nonce and sign again.");
	}
	if (!(nowMs < expiresMs)) return refusal("siweExpired", "The message has expired.");
	if (!(notBeforeMs <= nowMs + CLOCK_SKEW_MS)) {
		return refusal("siweNotYetValid", "The message is not valid yet.");
	}
	if (message.expirationTime !== null && !(expiresMs - issuedMs <= SIWE_LIFETIME_MAX_MS)) {
		return refusal("siweLifetime", "The message says it is valid for more than seven days.");
	}
	return null;
}

/** Comparisons with NaN are all false, so a time that cannot be read denies. */
function timeOf(text: string | null, absentMs: number): number {
	return text === null ? absentMs : (readTimestamp(text) ?? Number.NaN);
}

function questionOf({ hash, signature }: Signed): Hex {
	return encodeFunctionData({
		abi: erc1271Abi,
		functionName: "isValidSignature",
		args: [hash, signature],
	});
}

function validatorOf(address: Address, { hash, signature }: Signed): Hex {
	return encodeDeployData({
		abi: erc6492SignatureValidatorAbi,
		args: [address, hash, signature],
		bytecode: erc6492SignatureValidatorByteCode,
	});
}

/** Reads the contract's answer. An address without code answers nothing. */
function saysYes(answer: unknown): boolean {
	return typeof answer === "string" && answer.toLowerCase().slice(0, WORD_LENGTH) === MAGIC;
}

function partsOf(signature: Hex): Parts | null {
	const bytes = size(signature);
	if (bytes !== 64 && bytes !== 65) return null;
	const r = hexToBigInt(slice(signature, 0, 32));
	const second = hexToBigInt(slice(signature, 32, 64));
	if (bytes === 64) return { r, s: second % HIGH_BIT, yParity: second >= HIGH_BIT ? 1 : 0 };
	const v = Number(slice(signature, 64, 65));
	const yParity = v >= 27 ? v - 27 : v;
	return yParity === 0 || yParity === 1 ? { r, s: second, yParity } : null;
}
