import { decodeEventLog, type Hex, parseAbi } from "viem";

const abi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
]);
const ZERO = "0x0000000000000000000000000000000000000000";

export type Owners = {
	units: Map<Hex, bigint>;
	minted: bigint;
	burned: bigint;
	ofToken: Map<string, Hex>;
};

/** Returns who owns what of a contract at the head, from every transfer that its logs tell. */
export async function readOwners(url: string, contract: Hex): Promise<Owners> {
	const params = [{ address: contract, fromBlock: "0x0", toBlock: "latest" }];
	const response = await fetch(url, {
		method: "POST",
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params }),
	});
	const { result } = (await response.json()) as { result: { topics: [Hex]; data: Hex }[] };
	const owners: Owners = { units: new Map(), minted: 0n, burned: 0n, ofToken: new Map() };
	const add = (account: Hex, units: bigint) => {
		owners.units.set(account, (owners.units.get(account) ?? 0n) + units);
	};
	for (const { topics, data } of result) {
		const { args } = decodeEventLog({ abi, topics, data });
		if (!args?.from) continue;
		const [from, to] = [args.from, args.to].map((one) => one.toLowerCase() as Hex) as [Hex, Hex];
		const units = "value" in args ? args.value : 1n;
		if (from === ZERO) owners.minted += units;
		else add(from, -units);
		if (to === ZERO) owners.burned += units;
		else add(to, units);
		if ("tokenId" in args) owners.ofToken.set(args.tokenId.toString(), to);
	}
	for (const [account, units] of owners.units) if (units === 0n) owners.units.delete(account);
	return owners;
}
