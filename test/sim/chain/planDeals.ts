import { toHex } from "viem";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";
import { cast } from "#test/sim/chain/cast.ts";
import type { Deal } from "#test/sim/chain/Deal.ts";
import { listingDeal, mintDeal, noiseDeal, offerDeal } from "#test/sim/chain/deals.ts";

/** More mints than one window may show: the topic says "fetch a snapshot" instead. */
const CROWD = 45;
const ETHER = 10n ** 18n;

/** What happens in one block. `serial` makes every transaction one of its kind. */
export function planDeals(prng: Prng, serial: () => number): Deal[] {
	const deals: Deal[] = [];
	const count = prng.chance(0.3) ? 0 : prng.int(4);
	for (let made = 0; made < count; made++) deals.push(planDeal(prng, serial));
	return deals;
}

function planDeal(prng: Prng, serial: () => number): Deal {
	const dice = prng.next();
	if (dice < 0.4) return planMint(prng);
	if (dice < 0.5) return noiseDeal(planToken(prng), [prng.pick(cast.people), cast.feeTaker]);
	const token = planToken(prng);
	const seller = prng.pick(cast.people);
	const buyer = prng.chance(0.1) ? seller : prng.pick(cast.people);
	const orderHash = toHex(serial(), { size: 32 });
	const price = prng.chance(0.08) ? 0n : BigInt(1 + prng.int(1_000_000)) * (ETHER / 977n);
	const shared = { token, seller, buyer, orderHash };
	if (dice < 0.65 && price > 0n && seller !== buyer) return offerDeal({ ...shared, price });
	const coin = prng.pick([ZERO_ADDRESS, ZERO_ADDRESS, cast.weth, cast.dollar]);
	// Nothing is paid in no coin at all.
	return listingDeal({ ...shared, price, currency: price === 0n ? ZERO_ADDRESS : coin });
}

function planMint(prng: Prng): Deal {
	const to = prng.pick(cast.people);
	const value = prng.chance(0.3) ? 0n : BigInt(1 + prng.int(1_000)) * (ETHER / 1_013n) + 1n;
	const many = prng.chance(0.04) ? CROWD : 1 + prng.int(4);
	const shared = { to, value };
	if (prng.chance(0.6)) {
		const units = Array.from({ length: many }, () => ({ tokenId: tokenId(prng), quantity: 1n }));
		const contract = prng.pick(cast.erc721);
		return mintDeal({ ...shared, contract, standard: "erc721", units, batch: false });
	}
	const units = Array.from({ length: many }, () => {
		return { tokenId: tokenId(prng), quantity: BigInt(1 + prng.int(9)) };
	});
	const contract = prng.pick(cast.erc1155);
	return mintDeal({ ...shared, contract, standard: "erc1155", units, batch: prng.chance(0.5) });
}

function planToken(prng: Prng) {
	if (prng.chance(0.6)) {
		const contract = prng.pick(cast.erc721);
		return { contract, standard: "erc721", tokenId: tokenId(prng), quantity: 1n } as const;
	}
	const quantity = BigInt(1 + prng.int(7));
	const contract = prng.pick(cast.erc1155);
	return { contract, standard: "erc1155", tokenId: tokenId(prng), quantity } as const;
}

function tokenId(prng: Prng): bigint {
	return BigInt(prng.int(5_000));
}
