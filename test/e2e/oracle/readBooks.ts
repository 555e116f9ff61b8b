import { viewOf } from "#test/e2e/oracle/askLists.ts";
import { createViews } from "#test/e2e/oracle/createViews.ts";
import { differences } from "#test/e2e/oracle/differences.ts";
import { orderOf } from "#test/e2e/oracle/expected/bookAnswers.ts";
import { asksOf, bidsOf } from "#test/e2e/oracle/expected/bookOf.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";
import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { openStream } from "#test/harness/openStream.ts";

/** The provider tells nothing of its listings. */
const REFUSED = "book-refused";
const READ = ["shared-whole", "told-whole", "told-usdc", "told-shores", "told-nothing", REFUSED];

const LISTINGS = "GET /api/v2/listings/collection/{slug}/all";
const OFFERS = "GET /api/v2/offers/collection/{slug}/all";
/** Longer than the pause after a book could not be read. */
const LEFT_ALONE_MS = 61_000;
const ROUNDS_MAX = 9;

/** The collection that a client listens to. */
const HEARD = "told-whole";

/**
 * Has the books of some collections read, as if clients looked at them, and compares the frame of
 * each order of one of them.
 */
export async function readBooks(oracle: OracleLab, problems: string[]): Promise<void> {
	const { lab } = oracle;
	const [heard] = lab.of(HEARD).places;
	const base = `${lab.service.url.replace(/^http/, "ws")}/v1/nft-market`;
	const stream = await openStream(`${base}/collections/${heard?.address}/stream?chain=base`);
	await readAll(oracle);
	const view = viewOf(await createViews(oracle), { slug: HEARD, chain: "base" });
	const sides = [asksOf(view) ?? [], bidsOf(view) ?? []] as const;
	const wanted = sides.flatMap((orders, side) => orders.map((order) => ({ order, side })));
	const frames = await stream.take(wanted.length, ({ data }) => isOrder(data));
	stream.close();
	for (const { order, side } of wanted) {
		const frame = frames.find(({ data }) => data.orderHash === order.hash);
		const wrong = differences(frame?.data, {
			...orderOf(order, side === 0 ? "listings" : "offers", view.rates.dollarsAt(lab.nowMs())),
			id: `order:${order.hash}`,
			chain: view.chain,
			contractAddress: view.address,
			eventType: side === 0 ? "listing" : "offer",
			status: "active",
			occurredAt: notAFigure("a time at which the service did something"),
		});
		problems.push(...wrong.map((one) => `a frame of an order ${one}`));
	}
}

/**
 * Has each book read to its end. A minute allows only so many calls; a book that did not fit is
 * continued in the next.
 */
async function readAll({ lab }: OracleLab): Promise<void> {
	const from = lab.provider.calls.length;
	const isRead = (slug: string) => {
		const told = lab.callsSince(from).filter(({ status, path }) => {
			return status === 200 && path["slug"] === slug;
		});
		const sides = slug === REFUSED ? [OFFERS] : [LISTINGS, OFFERS];
		return sides.every((side) => told.some(({ operation }) => operation === side));
	};
	for (let round = 0; round < ROUNDS_MAX; round++) {
		for (const slug of READ) {
			const [place] = lab.of(slug).places;
			await lab.read(`/collections/${place?.address}?chain=${place?.chain}`);
		}
		await lab.idle();
		await lab.runJob("order-books");
		await lab.idle();
		if (READ.every(isRead)) return;
		lab.advance(LEFT_ALONE_MS);
	}
	throw new Error(`${READ.filter((slug) => !isRead(slug))} were not read in ${ROUNDS_MAX} rounds`);
}

const isOrder = (data: any) => ["listing", "offer"].includes(data?.eventType);
