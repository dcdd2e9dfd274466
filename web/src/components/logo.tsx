// The logo: an F inside a shield.
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path
        d="M16 2 28 6.5v8.6c0 7.2-4.8 12.4-12 14.9C8.8 27.5 4 22.300 4 15.1V6.5z"
        fill="var(--mantine-primary-color-filled)"
      />
      <path
        d="M11.5 22V10.8h9.5M11.5 16.300h7"
        fill="none"
        stroke="#fff"
        strokeWidth="2.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
