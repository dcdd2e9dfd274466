import { Component, type ErrorInfo, type ReactNode } from "react";

/** What was caught while rendering. */
export interface RenderFailure {
  error: unknown;
  /** Which components were being rendered. */
  componentStack: string;
  /** Renders the children again. */
  retry: () => void;
}

interface ErrorBoundaryProps {
  children: ReactNode;
  fallback: ReactNode | ((failure: RenderFailure) => ReactNode);
}

interface ErrorBoundaryState {
  failure: { error: unknown } | null;
  componentStack: string;
}

const NO_FAILURE: ErrorBoundaryState = { failure: null, componentStack: "" };

/** Renders `fallback` if rendering the children throws. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state = NO_FAILURE;

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  override componentDidCatch(_: unknown, { componentStack }: ErrorInfo) {
    this.setState({ componentStack: componentStack ?? "" });
  }

  override render() {
    const { failure, componentStack } = this.state;
    const { children, fallback } = this.props;
    if (!failure) return children;
    if (typeof fallback !== "function") return fallback;
    const retry = () => this.setState(NO_FAILURE);
    return fallback({ error: failure.error, componentStack, retry });
  }
}
