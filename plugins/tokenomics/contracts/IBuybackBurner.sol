// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Buys the token and burns what it bought, in one call.
interface IBuybackBurner {
	/// `paidWith` is 0x0 for the chain's own coin.
	event BoughtAndBurned(
		address indexed keeper,
		address indexed paidWith,
		uint256 spent,
		uint256 burned,
		address pool
	);

	function owner() external view returns (address);

	function token() external view returns (address);

	/// Who alone may buy; nobody while it is 0x0.
	function keeper() external view returns (address);

	function setKeeper(address keeper) external;

	/// Buys with `spend` (sent along, or pulled from the keeper by an allowance) through the one pool
	/// of this fee, burns all that it got, and gives back what the pool did not take.
	function buyAndBurn(
		address paidWith,
		uint256 spend,
		uint24 fee,
		uint256 minBurned,
		uint256 deadline
	) external payable returns (uint256 burned);

	function supportsInterface(bytes4 interfaceId) external view returns (bool);
}
