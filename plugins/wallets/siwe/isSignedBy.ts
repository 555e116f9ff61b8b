import {
	encodeDeployData,
	encodeFunctionData,
	erc6492SignatureValidatorAbi,
	erc6492SignatureValidatorByteCode,
	hashMessage,
	numberToHex,
	parseAbi,
} from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { isOfOtherChain } from "#plugins/wallets/chain/isOfOtherChain.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { SIGNATURE_CALL_GAS_MAX, SIGNATURE_CALL_TIMEOUT_MS } from "#plugins/wallets/limits.ts";
import { readSigner } from "#plugins/wallets/siwe/readSigner.ts";

const erc1271Abi = parseAbi([
	"function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
/** `isValidSignature.selector` as the word in which a contract answers it (ERC-1271). */
const MAGIC = `0x1626ba7e${"0".repeat(56)}`;
const WORD_LENGTH = 2 + 64;

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

type Signed = { hash: Hex; signature: Hex };

function validatorOf(address: Address, { hash, signature }: Signed): Hex {
	return encodeDeployData({
		abi: erc6492SignatureValidatorAbi,
		args: [address, hash, signature],
		bytecode: erc6492SignatureValidatorByteCode,
	});
}

function questionOf({ hash, signature }: Signed): Hex {
	return encodeFunctionData({
		abi: erc1271Abi,
		functionName: "isValidSignature",
		args: [hash, signature],
	});
}

/** Reads the contract's answer. An address without code answers nothing. */
function saysYes(answer: unknown): boolean {
	return typeof answer === "string" && answer.toLowerCase().slice(0, WORD_LENGTH) === MAGIC;
}
