import { z } from "zod";

const DAY = "one_day";
const SALES_MAX = 1_000_000_000;

const statsSchema = z.object({
	intervals: z.array(
		z.object({ interval: z.unknown(), sales: z.unknown() }).partial().nullable().catch(null),
	),
});

/** Returns sales in the last day as the provider's stats count them; null where they do not say. */
export function salesOfDay(raw: unknown): number | null {
	const { data } = statsSchema.safeParse(raw);
	const day = data?.intervals.find((one) => one?.interval === DAY);
	const sales = day?.sales;
	const isCount = typeof sales === "number" && Number.isFinite(sales) && sales >= 0;
	return isCount ? Math.min(Math.floor(sales), SALES_MAX) : null;
}
