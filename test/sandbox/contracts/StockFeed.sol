// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A price feed of Chainlink's shape whose rounds may be of any time and any answer, or not be there.
contract StockFeed {
	struct Round {
		int256 answer;
		uint256 updatedAt;
	}

	uint80 private constant PHASE = uint80(1) << 64;
	uint256 public constant version = 4;
	uint8 public immutable decimals;
	string public description;
	bool public isDead;
	Round[] private rounds;

	error NoDataPresent();

	constructor(string memory about, uint8 decimals_) {
		(description, decimals) = (about, decimals_);
	}

	function publish(int256 answer, uint256 updatedAt) external {
		rounds.push(Round(answer, updatedAt == 0 ? block.timestamp : updatedAt));
	}

	/// A dead feed reverts whatever it is asked.
	function setDead(bool to) external {
		isDead = to;
	}

	function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
		return read(PHASE + uint80(rounds.length));
	}

	function getRoundData(uint80 id) external view returns (uint80, int256, uint256, uint256, uint80) {
		return read(id);
	}

	function read(uint80 id) private view returns (uint80, int256, uint256, uint256, uint80) {
		if (isDead || id <= PHASE || id > PHASE + rounds.length) revert NoDataPresent();
		Round storage round = rounds[id - PHASE - 1];
		return (id, round.answer, round.updatedAt, round.updatedAt, id);
	}
}
