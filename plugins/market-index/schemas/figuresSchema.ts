import { z } from "zod";
import { figureSchema } from "#plugins/market-index/schemas/figureSchema.ts";

const figure = (description: string) => figureSchema.meta({ description });

/** Every figure of a collection's detail, by the name of the field that shows it. */
export const figuresSchema = z
	.object({
		floorNative: figure("Lowest known ask: `floorNative`, `floor` and `floor_price` of `market`."),
		floorChange24hPercent: figure("Change of the floor in 24 hours."),
		volume24hNative: figure("Sales of 24 hours: `volume24hNative` and `volume_24h` of `market`."),
		sales24h: figure("Number of sales in 24 hours: `sales24h` of `market`."),
		ownersCount: figure("Distinct owners: `ownersCount` and `owners` of `market`."),
		listedCount: figure("Tokens for sale: `listedCount` of `market`."),
		totalSupply: figure("Units that exist: `totalSupply` of `market`."),
		mints1h: figure("Mint events of the last hour: `mints1h` of `mint`."),
		mintedSupply: figure("Units ever minted: `mintedSupply` of `mint`."),
		mintPriceNative: figure("What the last mint cost a unit: `priceNative` of `mint`."),
	})
	.meta({
		id: "CollectionFigures",
		description:
			"Where each figure comes from, and how far it is from right: the same values as in `market` " +
			"and `mint`.",
	});

export type ShownFigures = z.output<typeof figuresSchema>;
