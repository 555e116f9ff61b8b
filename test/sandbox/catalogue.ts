// Lists the collections of the sandbox, and how each trades.

/** The plan of one collection: what it is, when it opens, how it trades. */
export type CollectionPlan = {
	key: string;
	standard: "erc721" | "erc1155";
	name: string;
	symbol: string;
	about: string;
	/**
	 * open: paid or free by `mintEther`; soldOut: open until the supply ends; reserved: all minted at
	 * launch.
	 */
	mint: "open" | "soldOut" | "reserved";
	mintEther: string;
	/** ERC-721: supply limit. ERC-1155: number of editions. */
	maxSupply: number;
	/** The mean number of mint transactions in 15 minutes, after the launch burst. */
	mintRate: number;
	/** The mean number of sales in 15 minutes. */
	saleRate: number;
	startEther: number;
	/** When it launches, as a part of history from 0 to 1. */
	launch: number;
	/** Hidden until this part of history; "live" reveals it some blocks after history. */
	reveal?: number | "live";
	hue: number;
	motif: number;
};

type Row = Pick<CollectionPlan, "key" | "name" | "symbol" | "about"> & Partial<CollectionPlan>;

function plan(row: Row): CollectionPlan {
	const usual = { standard: "erc721", mint: "open", mintEther: "0.04", maxSupply: 8_000 } as const;
	const trade = { mintRate: 0.22, saleRate: 0.75, startEther: 0.3, launch: 0, hue: 200, motif: 0 };
	return { ...usual, ...trade, ...row };
}

/** The thirteen collections of the world. */
export const catalogue: readonly CollectionPlan[] = [
	plan({
		key: "harbor",
		name: "Harbor Lights",
		symbol: "HLITE",
		about: "Lamps of ports that ships have forgotten.",
		mintEther: "0.05",
		startEther: 0.42,
		hue: 212,
		motif: 0,
	}),
	plan({
		key: "moss",
		name: "Moss and Marrow",
		symbol: "MOSSM",
		about: "A free walk through a damp old forest.",
		mintEther: "0",
		startEther: 0.035,
		mintRate: 0.5,
		launch: 0.05,
		hue: 118,
		motif: 2,
	}),
	plan({
		key: "astro",
		name: "Paper Astronauts",
		symbol: "PAPER",
		about: "Four hundred folded travellers, and no more.",
		mint: "soldOut",
		mintEther: "0.08",
		maxSupply: 400,
		startEther: 0.65,
		launch: 0.1,
		hue: 32,
		motif: 3,
	}),
	plan({
		key: "kiln",
		name: "Kiln Folk",
		symbol: "KILN",
		about: "Clay faces, fired once, traded ever since.",
		mint: "reserved",
		maxSupply: 240,
		startEther: 1.9,
		saleRate: 0.9,
		hue: 14,
		motif: 0,
	}),
	plan({
		key: "glass",
		name: "Glasshouse Botanica",
		symbol: "GLASS",
		about: "Seeds first; what grows is shown later.",
		mintEther: "0.06",
		startEther: 0.12,
		launch: 0.35,
		reveal: "live",
		mintRate: 0.4,
		hue: 150,
		motif: 2,
	}),
	plan({
		key: "ferry",
		name: "Night Ferry",
		symbol: "FERRY",
		about: "Sealed tickets of a crossing at midnight.",
		mintEther: "0.03",
		startEther: 0.09,
		launch: 0.02,
		reveal: 0.55,
		hue: 250,
		motif: 1,
	}),
	plan({
		key: "pigeon",
		name: "Signal Pigeons",
		symbol: "SPGN",
		about: "Messages that took the long way home.",
		startEther: 0.24,
		hue: 188,
		motif: 3,
	}),
	plan({
		key: "diner",
		name: "Low Orbit Diner",
		symbol: "DINER",
		about: "Open all night, four hundred kilometres up.",
		startEther: 0.51,
		hue: 330,
		motif: 1,
	}),
	plan({
		key: "machines",
		name: "Quiet Machines",
		symbol: "QUIET",
		about: "Engines that hum below hearing.",
		mint: "reserved",
		maxSupply: 180,
		startEther: 3.2,
		saleRate: 0.5,
		hue: 222,
		motif: 3,
	}),
	plan({
		key: "salt",
		name: "Salt Cathedral",
		symbol: "SALT",
		about: "Rooms cut from a white mountain.",
		startEther: 0.17,
		launch: 0.03,
		hue: 40,
		motif: 2,
	}),
	plan({
		key: "tide",
		name: "Tidewater Postcards",
		symbol: "TIDE",
		about: "Views of a coast, printed while the ink lasts.",
		standard: "erc1155",
		mintEther: "0.004",
		maxSupply: 12,
		startEther: 0.012,
		saleRate: 0.8,
		hue: 196,
		motif: 2,
	}),
	plan({
		key: "brass",
		name: "Brass Menagerie",
		symbol: "BRASS",
		about: "Wind-up beasts from a closed workshop.",
		standard: "erc1155",
		mintEther: "0.01",
		maxSupply: 8,
		startEther: 0.028,
		hue: 44,
		motif: 0,
	}),
	plan({
		key: "ember",
		name: "Ember Almanac",
		symbol: "EMBER",
		about: "A plate for every cold month.",
		standard: "erc1155",
		mintEther: "0",
		maxSupply: 6,
		startEther: 0.008,
		saleRate: 0.35,
		launch: 0.2,
		hue: 8,
		motif: 1,
	}),
];
