import type { Answer, Asked } from "#test/conformance/provider/emulator/Asked.ts";
import { collectionOf } from "#test/conformance/provider/emulator/answers/collections.ts";
import { renderNft } from "#test/conformance/provider/emulator/answers/tokens.ts";
import { limitOf, questionOf } from "#test/conformance/provider/emulator/paging.ts";
import { Refusal } from "#test/conformance/provider/emulator/Refusal.ts";
import type { Price, WorldCollection, WorldEvent } from "#test/conformance/provider/world/World.ts";

const LIMIT = { usual: 50, max: 200 };

/** Newest first; a cursor stays at its event, however many new ones there are. */
export const collectionEvents: Answer = (asked) => {
	const collection = collectionOf(asked.world, asked.path.slug);
	const question = questionOf(asked);
	const cursor = asked.query.get("next");
	const from = cursor === null ? null : placeOf(asked.cursors.read(question, cursor));
	const limit = limitOf(asked, LIMIT);
	const wanted = collection.events.filter((event) => fits(event, asked));
	const rest = from === null ? wanted : wanted.filter((event) => isOlder(event, from));
	const shown = rest.slice(0, limit);
	const last = shown.at(-1);
	asked.shown.push(...shown.map(({ number }) => `${collection.slug} ${number}`));
	const hasMore = rest.length > limit && last !== undefined;
	return {
		asset_events: shown.map((event) => renderEvent(collection, event)),
		...(hasMore && { next: asked.cursors.make(question, `${last.atS} ${last.number}`) }),
	};
};

/** One event as the document's `SaleEvent` or `TransferEvent`. */
export function renderEvent(collection: WorldCollection, event: WorldEvent) {
	const { kind, atS, token, from, to, quantity, price, transaction, orderHash } = event;
	const common = {
		event_timestamp: atS,
		chain: token.place.chain,
		quantity,
		nft: renderNft(collection, token),
		...(transaction && { transaction }),
		...(orderHash && { order_hash: orderHash, protocol_address: SEAPORT }),
		...(price && { payment: payment(price) }),
	};
	if (kind === "sale") {
		return { event_type: "sale", ...common, closing_date: atS, seller: from, buyer: to };
	}
	return {
		event_type: kind,
		...common,
		transfer_type: kind,
		from_address: from,
		to_address: to,
	};
}

const SEAPORT = "0x0000000000000068f116a894984e2db1123eb395";

function payment({ total, coin: { address, decimals, symbol } }: Price) {
	return { quantity: total.toString(), token_address: address, decimals, symbol };
}

function fits({ kind, atS }: WorldEvent, { query, nowMs }: Asked): boolean {
	if (atS * 1_000 > nowMs) return false;
	const after = secondsOf(query, "after");
	const before = secondsOf(query, "before");
	const types = query.getAll("event_type").flatMap((text) => text.split(","));
	if (after !== null && atS <= after) return false;
	if (before !== null && atS >= before) return false;
	return types.length === 0 || types.includes(kind);
}

function secondsOf(query: URLSearchParams, name: string): number | null {
	const text = query.get(name);
	if (text === null) return null;
	if (!/^\d{1,15}$/.test(text)) throw new Refusal(400, `${name} must be a timestamp in seconds`);
	return Number(text);
}

type Place = { atS: number; number: number };

function placeOf(text: string): Place {
	const [atS = 0, number = 0] = text.split(" ").map(Number);
	return { atS, number };
}

function isOlder(event: WorldEvent, { atS, number }: Place): boolean {
	return event.atS < atS || (event.atS === atS && event.number < number);
}
